import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageFlags } from '../../../test/servers/package-flags.ts';

describe('register', () => {
  it('registers the session suite with node:test', async () => {
    const file = fileURLToPath(new URL('node-test-suite.ts', import.meta.url));
    const run = [...packageFlags, '--test', '--test-reporter=tap', file];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, run, { env, maxBuffer: 16 * 1024 * 1024 });
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(100);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).toContain('append.concurrent: stores a hundred concurrent appends');
  });
});
