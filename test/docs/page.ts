import { read } from '../architecture/workspace.ts';

/** A file that a page shows: a code block whose first line names it, such as ```` ```ts [model.ts] ````. */
export interface ShownFile {
  name: string;
  text: string;
}

/** A command of a page with the output that the page shows for it. */
export interface ShownCommand {
  command: string;
  output: string;
}

const fence = /^```(\w+)(?: \[([^\]]+)\])?\n([\s\S]*?)^```$(\n\n(?=```text))?/gm;

/** Returns the files that a page shows, in order. */
export function filesOf(page: string): ShownFile[] {
  return [...read(page).matchAll(fence)].flatMap(([, , name, text]) =>
    name === undefined ? [] : [{ name, text: text! }],
  );
}

/** Returns the shell commands that are followed by their output, in order. */
export function commandsOf(page: string): ShownCommand[] {
  const blocks = [...read(page).matchAll(fence)];
  return blocks.flatMap(([, language, , command, hasOutput], index) => {
    const [, next, , output] = blocks[index + 1] ?? [];
    return language === 'sh' && hasOutput && next === 'text' ? [{ command: command!, output: output! }] : [];
  });
}

/** Returns the shell commands under a heading of a page, line by line and without their comments. */
export function commandsUnder(page: string, heading: string): string[] {
  const section =
    read(page)
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block]) => block!.trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''));
}

/** Returns the npm packages that the shell commands of a text install. */
export function installedBy(text: string): string[] {
  return [...text.matchAll(/^(?:npm (?:i|install)\b)(.*)$/gm)].flatMap(([, line]) =>
    line!
      .replace(/\s#.*$/, '')
      .split(/\s+/)
      .filter((word) => /^[@a-z]/.test(word)),
  );
}

/** Returns the npm packages that a program imports. */
export function importedBy(program: string): string[] {
  return [...program.matchAll(/(?:from|import) '([^'.][^':]*)'/g)].map(([, path]) =>
    path!.split('/', path!.startsWith('@') ? 2 : 1).join('/'),
  );
}

/** The Start pages in the order in which they are read. */
export const startPages: readonly string[] = [
  'first-agent',
  'add-a-tool',
  'keep-sessions',
  'add-memory',
  'serve',
  'web-page',
].map((name) => `docs/start/${name}.md`);
