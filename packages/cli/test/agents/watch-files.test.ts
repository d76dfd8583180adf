import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isIgnored, watchFiles } from '../../src/agents/watch-files.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

interface TestWatch {
  /** Resolves when `count` changes were detected, before the quiet time after them has passed. */
  detected(count: number): Promise<void>;
  counts: { detected: number; calls: number };
  runtime: FixedRuntime;
}

/** Watches a folder with a fixed clock. A change counts as detected when it sets a timer. */
async function startWatching(root: string): Promise<TestWatch> {
  const runtime = new FixedRuntime();
  const counts = { detected: 0, calls: 0 };
  let notify = (): void => {};
  const timed = {
    ...{ now: () => runtime.now(), logger: runtime.logger },
    timer(ms: number, fn: () => void) {
      counts.detected++;
      notify();
      return runtime.timer(ms, fn);
    },
  };
  const stop = await watchFiles(root, {
    runtime: Object.assign(Object.create(runtime) as FixedRuntime, timed),
    onChange: () => counts.calls++,
  });
  onTestFinished(stop);
  const detected = (count: number): Promise<void> =>
    new Promise((resolve) => {
      notify = () => counts.detected >= count && resolve();
      notify();
    });
  return { detected, counts, runtime };
}

describe('watchFiles', () => {
  it('calls onChange once for several changes in a row', async () => {
    const root = temporaryFolder({ 'agent.ts': '1' });
    const { detected, counts, runtime } = await startWatching(root);
    writeFiles(root, { 'agent.ts': '22', 'deep/new.ts': '1', '.env': 'A=1' });
    await detected(3);
    await runtime.advance(99);
    expect(counts.calls).toBe(0);
    await runtime.advance(1);
    expect(counts.calls).toBe(1);
    rmSync(join(root, 'agent.ts'));
    await detected(counts.detected + 1);
    await runtime.advance(100);
    expect(counts.calls).toBe(2);
  });

  it('ignores stored, saved, installed and built files, and other file types', async () => {
    const root = temporaryFolder({ 'agent.ts': '1' });
    const { detected, counts } = await startWatching(root);
    writeFiles(root, {
      '.thole/artifacts/a.json': '1',
      'node_modules/lib/index.js': '1',
      'dist/agent.js': '1',
      '.git/index.json': '1',
      's1.session.json': '1',
      'sessions.db': '1',
      'photo.png': '1',
    });
    writeFiles(root, { 'last.md': '1' });
    await detected(1);
    // `last.md`, and on some systems also the folder.
    expect(counts.detected).toBe(1);
  });
});

describe('isIgnored', () => {
  it.each([
    ['/node_modules', false],
    ['/hello/.thole/artifacts/a.json', true],
    ['\\hello\\.thole\\artifacts\\a.json', true],
    ['/hello/photo.png', true],
  ])('is true for %j', (path, isFile) => {
    expect(isIgnored(path, isFile)).toBe(true);
  });

  it.each([
    ['/hello', false],
    ['/hello/agent.ts', true],
    ['\\hello\\.env', true],
  ])('is false for %j', (path, isFile) => {
    expect(isIgnored(path, isFile)).toBe(false);
  });
});
