import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstProgramOf } from '../../scripts/example.mjs';
import { packages, read, root } from '../architecture/workspace.ts';

const withoutKeys = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_KEY$|_BASE_URL$/.test(name)));

function run(script: string, ...args: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], { env: withoutKeys });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (errors += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

const shown = packages
  .map(({ folder }) => folder)
  .filter((folder) => folder === 'runner' || (folder.startsWith('provider-') && firstProgramOf(folder) !== undefined));

describe('pnpm example', () => {
  it.each(shown)('prints the output in the README of %s, on the sources and without a key', async (folder) => {
    const { code, output, errors } = await run('example.mjs', folder);
    const documented = /<!-- first program -->[\s\S]*?```text\n([\s\S]*?)^```$/m.exec(
      read(`packages/${folder}/README.md`),
    );
    expect({ code, output, errors }).toEqual({ code: 0, output: documented?.[1], errors: '' });
  });

  it('lists the packages and fails for an unknown one', async () => {
    const { code, output, errors } = await run('example.mjs', 'nothing');
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/^usage: pnpm example <package>, one of: .*core, .*runner/);
  });
});

describe('pnpm record', () => {
  it('lists the providers and fails for an unknown one', async () => {
    const { code, output, errors } = await run('record.mjs', 'nothing');
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/^usage: pnpm record <provider>, one of: anthropic, gemini, openai, vertex/);
  });

  it.each(['gemini', 'openai'])('fails without a key of %s, and names the variable to set', async (name) => {
    const { code, errors } = await run('record.mjs', name);
    expect(code).toBe(1);
    expect(errors).toMatch(/_API_KEY/);
  });
});
