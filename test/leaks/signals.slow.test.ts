import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { packageFlags } from '../servers/package-flags.ts';

it('ended calls leave no signal in memory if the called code never removes its listener', async () => {
  const program = join(import.meta.dirname, 'count-signals.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [...packageFlags, program]);
  const left = Object.entries(JSON.parse(stdout) as { [kind: string]: number });
  expect(left).toHaveLength(5);
  // Each kind has made 30 calls.
  expect(left.filter(([, count]) => count >= 15)).toEqual([]);
});
