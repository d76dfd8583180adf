import { describe, expect, it } from 'vitest';
import { filesBelow, read } from '../architecture/workspace.ts';
import { codeBlocks } from '../packed/code-blocks.ts';
import { commandsOf, filesOf, importedBy, installedBy, startPages } from './page.ts';

// The files of docs/guides/deploying.md are in docs/deploy.
const guides = filesBelow('docs/guides')
  .filter((page) => page !== 'docs/guides/deploying.md')
  .filter((page) => filesOf(page).length > 0);
const deployed = ['compose.telemetry.yaml', 'otel-collector.yaml'];
const shown = [...startPages, ...guides].flatMap(filesOf).filter(({ name }) => !deployed.includes(name));

describe('Start pages', () => {
  it('are all pages of docs/start', () => {
    expect(filesBelow('docs/start')).toEqual([...startPages].sort());
  });

  it.each(startPages)('%s shows its files as docs/examples has them', (page) => {
    const files = filesOf(page);
    const stored = files.map(({ name }) => ({ name, text: read(`docs/examples/${name}`) }));
    expect(files, 'run `pnpm run docs examples`').toEqual(stored);
    expect(files.length).toBeGreaterThan(0);
  });

  it('show every file of docs/examples', () => {
    const names = shown.map(({ name }) => `docs/examples/${name}`);
    expect(names.sort(), 'show the file in a page, see CONTRIBUTING.md').toEqual(filesBelow('docs/examples'));
  });

  it.each(startPages)('%s shows a command with its output', (page) => {
    expect(commandsOf(page).length).toBeGreaterThan(0);
  });

  it('lead from each page to the next', () => {
    for (const [index, page] of startPages.slice(0, -1).entries()) {
      const next = startPages[index + 1]!.replace('docs/start/', '');
      expect(read(page).split('## Next')[1], page).toContain(`(${next})`);
    }
  });
});

describe('Guides', () => {
  it.each(guides)('%s shows its files as docs/examples and docs/deploy have them', (page) => {
    const files = filesOf(page);
    const folderOf = (name: string): string => (deployed.includes(name) ? 'deploy' : 'examples');
    const stored = files.map(({ name }) => ({ name, text: read(`docs/${folderOf(name)}/${name}`) }));
    expect(files, 'run `pnpm run docs examples`').toEqual(stored);
  });
});

describe('docs/guides/deploying.md', () => {
  const files = filesOf('docs/guides/deploying.md');

  it('shows its files as docs/deploy has them', () => {
    const stored = files.map(({ name }) => ({ name, text: read(`docs/deploy/${name}`) }));
    expect(files, 'run `pnpm run docs examples`').toEqual(stored);
  });

  it('shows every file of docs/deploy', () => {
    const names = [...files.map(({ name }) => name), ...deployed];
    expect(names.map((name) => `docs/deploy/${name}`).sort()).toEqual(filesBelow('docs/deploy'));
  });

  it('has a compose file and a Dockerfile that set only variables which the server reads', () => {
    const server = read('docs/deploy/server.ts') + read('docs/deploy/services.ts');
    const composed = ['compose.yaml', 'compose.redis.yaml'].map((name) => read(`docs/deploy/${name}`)).join('\n');
    const names = [...composed.matchAll(/^      ([A-Z_]+):/gm)].map(([, name]) => name!);
    const ofDatabase = names.filter((name) => name.startsWith('POSTGRES_'));
    const ofProvider = ['OPENAI_API_KEY'];
    expect(names.filter((name) => !server.includes(name) && ![...ofDatabase, ...ofProvider].includes(name))).toEqual(
      [],
    );
  });
});

describe('programs on pages', () => {
  it('have factories for models that they name', () => {
    const named = codeBlocks().filter(({ code }) => /new LlmAgent\(\{[^{}]*\bmodel: '/.test(code));
    expect(named.length).toBeGreaterThan(3);
    const failing = named.filter(({ code }) => !code.includes('models: ['));
    expect(failing.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });
});

describe('configurations of MCP clients', () => {
  const pages = ['docs/guides/mcp-server.md', 'packages/cli/README.md'];

  // Clients start the program in any folder, where npx would load another package from the registry.
  it.each(pages)('%s changes into the project before npx', (page) => {
    const [, json] = /^```json\n(\{ "mcpServers".*\})$/m.exec(read(page))!;
    const { mcpServers } = JSON.parse(json!) as { mcpServers: { hello: { args: string[] } } };
    expect(mcpServers.hello.args.at(-1)).toMatch(/^cd \/path\/to\/[\w-]+ && exec npx thole mcp /);
  });
});

describe('pages with files', () => {
  const pages = [...startPages, ...filesBelow('docs/guides')].filter((page) => filesOf(page).length > 0);

  // GitHub does not show the name in the first line of a block.
  it.each(pages)('%s names each file before it shows it', (page) => {
    const text = read(page);
    const unnamed = filesOf(page).filter(
      ({ name }) => !text.slice(0, text.indexOf(` [${name}]\n`)).includes(`\`${name}\``),
    );
    expect(unnamed.map(({ name }) => name)).toEqual([]);
  });

  it.each(pages)('%s installs the packages that its programs import', (page) => {
    // The first Start page installs all packages of the project, and zod.
    const fromStart = (name: string): boolean => name === 'zod' || name === 'thole' || name.startsWith('@thole/');
    const imported = filesOf(page).flatMap(({ name, text }) => (name.endsWith('.ts') ? importedBy(text) : []));
    expect(installedBy(read(page))).toEqual(expect.arrayContaining(imported.filter((name) => !fromStart(name))));
  });
});
