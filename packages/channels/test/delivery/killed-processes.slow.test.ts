import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileIdentityStore } from '../../src/index.ts';
import { packageFlags } from '../../../../test/servers/package-flags.ts';
import { runDispatcher } from './children/run-dispatcher.ts';

const child = join(import.meta.dirname, 'children', 'companion.ts');
const steps = [
  ...['before receive', 'after receive', 'before begin', 'after begin', 'model', 'before put', 'after put'],
  ...['before finish', 'after finish', 'send', 'before settle', 'after settle'],
];

async function run(folder: string, killAt: string): Promise<string | null> {
  const running = spawn(process.execPath, [...packageFlags, child, folder, killAt], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => void running.once('exit', (code, signal) => resolve(signal ?? String(code))));
}

function linesOf(folder: string, file: string): unknown[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('Dispatcher in a killed process', () => {
  for (const step of steps) {
    it(`loses no message and repeats no answer if killed at "${step}" (contract 45)`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'thole-channels-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const identities = new FileIdentityStore({ path: join(folder, 'users.json') });
      await identities.create({ name: 'Ada', identities: [{ channel: 'chat', sender: 'a1' }] });

      expect(await run(folder, step)).toBe('SIGKILL');
      await runDispatcher(folder);

      expect(linesOf(folder, 'errors.jsonl')).toEqual([]);
      expect(linesOf(folder, 'left.jsonl')).toEqual([[0, 0]]);
      const sent = linesOf(folder, 'sent.jsonl') as { key: string; text: string }[];
      // If the process is killed after a send that is not recorded, the message is sent again with the same key.
      const isRepeated = step === 'send' || step === 'before settle';
      const unique = new Map(sent.map(({ key, text }) => [key, text]));
      expect(sent).toHaveLength(unique.size + (isRepeated ? 1 : 0));
      // Both messages are answered: together, or one after the other.
      const texts = [...unique.values()].map((text) => text.replaceAll('\n', ''));
      expect([['Answer to two'], ['Answer to one', 'Answer to two']]).toContainEqual(texts);
    });
  }

  it.each([
    ['close', ['Answer to two']],
    ['close after joining', ['Answer to two']],
  ])('continues at the next start after "%s" during a run (contract 45)', async (step, answers) => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-channels-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const identities = new FileIdentityStore({ path: join(folder, 'users.json') });
    await identities.create({ name: 'Ada', identities: [{ channel: 'chat', sender: 'a1' }] });
    expect(await run(folder, step)).toBe('0');
    expect(linesOf(folder, 'sent.jsonl')).toEqual([]);
    expect(await run(folder, 'never')).toBe('0');
    const sent = linesOf(folder, 'sent.jsonl') as { text: string }[];
    expect(sent.map(({ text }) => text.replaceAll('\n', ''))).toEqual(answers);
    expect(linesOf(folder, 'left.jsonl')).toEqual([
      [2, 0],
      [0, 0],
    ]);
  });
});
