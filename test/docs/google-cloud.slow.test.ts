import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExampleServer } from '../../scripts/example.mjs';
import { root } from '../architecture/workspace.ts';
import { commandsOf } from './page.ts';

let server: Awaited<ReturnType<typeof startExampleServer>>;
beforeAll(async () => void (server = await startExampleServer('vertex-services')));
afterAll(() => server.end());

// F076, F126 and F128 with the examples of sessions and of two agents.
describe('docs/guides/google-cloud.md', () => {
  it.each(commandsOf('docs/guides/google-cloud.md'))('prints what it shows for $command', async (shown) => {
    const [, name] = /^node (\S+)$/m.exec(shown.command)!;
    expect(await outputOf(name!)).toBe(shown.output);
  });
});

/** Runs a file of docs/examples on the sources and returns its output and errors. */
async function outputOf(name: string): Promise<string> {
  const inherited = Object.entries(process.env).filter(([key]) => !/_API_KEY$|^VITEST|^NODE_/.test(key));
  const child = spawn(process.execPath, ['--conditions=@thole/source', join(root, 'docs/examples', name)], {
    env: { ...Object.fromEntries(inherited), ...server.env, NO_COLOR: '1' },
    timeout: 60_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
