import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { commandsOf } from './page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'thole-trip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/guides/pause-and-recover.md', () => {
  it.each(commandsOf('docs/guides/pause-and-recover.md'))('prints what it shows for $command', async (shown) => {
    const [, name, argument] = /^node (\S+) (\S+)$/m.exec(shown.command)!;
    expect(await outputOf(name!, argument!)).toBe(shown.output);
  });
});

/** Runs a file of docs/examples on the sources in an empty folder. Returns its output and errors. */
async function outputOf(name: string, argument: string): Promise<string> {
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(key),
  );
  const child = spawn(process.execPath, [...flags, join(root, 'docs/examples', name), argument], {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1' },
    timeout: 60_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
