import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExampleServer } from '../../scripts/example.mjs';
import { read, root } from '../architecture/workspace.ts';
import { commandsOf } from './page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const page = 'docs/guides/google-cloud.md';
const examples = join(root, 'docs/examples');

let server: Awaited<ReturnType<typeof startExampleServer>>;
beforeAll(async () => void (server = await startExampleServer('vertex-services')));
afterAll(() => server.end());

// F076, F126 and F128 with the examples of sessions and of two agents.
describe(page, () => {
  it.each(commandsOf(page))('prints what it shows for $command', async (shown) => {
    const [, name] = /^node (\S+)$/m.exec(shown.command)!;
    expect(await outputOf([join(examples, name!)])).toBe(shown.output);
  });

  // F127
  it('prints the same for two agents whose memory is a RAG corpus, with the line that it shows', async () => {
    const [line] = /^const memoryService = .*RagMemoryService.*$/m.exec(read(page).replaceAll(/^export /gm, ''))!;
    const program = read('docs/examples/vertex-memory.ts').replace(/^const memoryService = .*$/m, line);
    const { output } = commandsOf(page).find(({ command }) => command.includes('vertex-memory.ts'))!;
    expect(await outputOf(['--input-type=module-typescript', '--eval', program])).toBe(output);
  });
});

/** Runs Node on the sources in docs/examples and returns its output and errors. */
async function outputOf(args: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(key),
  );
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: examples,
    env: { ...Object.fromEntries(inherited), ...server.env, NO_COLOR: '1' },
    timeout: 60_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
