import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { message, postInit } from '../demo.ts';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

const program = join(import.meta.dirname, 'stop-at-sigterm.ts');

describe('RunningServer.close with services', () => {
  it('lets the process end, also with open connections and an active run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-stop-'));
    const child = spawn(process.execPath, [
      ...packageFlags,
      // Node 22 warns that SQLite is experimental.
      '--disable-warning=ExperimentalWarning',
      program,
      folder,
    ]);
    onTestFinished(() => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    await expect.poll(() => output).toMatch(/^http:.*\n/);
    const url = output.trim();
    await (await fetch(`${url}/health`)).text();
    const run = await fetch(`${url}/run_sse`, postInit(message({ streaming: true })));
    const ended = run.text().catch(() => '');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    await ended;
    expect([code, output.replace(url, '').trim()]).toEqual([0, 'ended, alive: []']);
  });
});
