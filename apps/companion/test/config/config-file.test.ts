import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigFile } from '../../src/config/config-file.ts';
import { folderForTest } from '../folder-for-test.ts';

function openFile(text?: string) {
  const runtime = new FixedRuntime();
  const path = join(folderForTest(), 'companion.yaml');
  if (text !== undefined) writeFileSync(path, text);
  const windows: number[] = [];
  const file = new ConfigFile({ path, runtime, onChange: ({ sessions }) => void windows.push(sessions.windowTurns) });
  onTestFinished(() => file.close());
  return { file, path, runtime, windows };
}

const turns = (count: number | string): string => `sessions:\n  window_turns: ${count}\n`;

describe('ConfigFile', () => {
  it('returns the defaults without a file, and reads a file that is created later', async () => {
    const { file, path, runtime, windows } = openFile();
    expect(file.current.sessions.windowTurns).toBe(30);
    file.watch();
    writeFileSync(path, turns(7));
    await runtime.advance(1_000);
    expect(windows).toEqual([]);
    await runtime.advance(1_000);
    expect([windows, file.current.sessions.windowTurns]).toEqual([[7], 7]);
  });

  it('keeps the old settings and logs the line of an invalid file, then reads the repaired file', async () => {
    const { file, path, runtime, windows } = openFile(turns(7));
    file.watch();
    writeFileSync(path, turns('many'));
    await runtime.advance(5_000);
    expect([windows, file.current.sessions.windowTurns]).toEqual([[], 7]);
    expect(runtime.logs.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      expect.stringMatching(/^error: .*stays\.\ncompanion\.yaml:2:17: sessions\.window_turns must be an integer/),
    ]);
    writeFileSync(path, turns(9));
    await runtime.advance(5_000);
    expect(windows).toEqual([9]);
  });

  it('does not call onChange for a comment, and returns to the defaults for a deleted file', async () => {
    const { file, path, runtime, windows } = openFile(turns(7));
    file.watch();
    writeFileSync(path, `# seven\n${turns(7)}`);
    await runtime.advance(5_000);
    expect(windows).toEqual([]);
    rmSync(path);
    await runtime.advance(5_000);
    expect(windows).toEqual([30]);
  });

  it('uses a change only if two reads return the same text, because an editor may be writing', () => {
    const { file, path, windows } = openFile(turns(7));
    writeFileSync(path, '');
    expect(file.check()).toBe(false);
    writeFileSync(path, turns(8));
    expect([file.check(), file.check()]).toEqual([false, true]);
    expect(windows).toEqual([8]);
  });

  it('throws for an invalid file at the start', () => {
    expect(() => openFile('memory: 1')).toThrow('companion.yaml:1:9: memory must be a mapping');
  });
});
