import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FixedRuntime } from '@thole/testing';
import { expect, it, onTestFinished } from 'vitest';
import { watchFiles } from '../../src/agents/watch-files.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

interface Watched {
  /** Resolves when so many changes were noticed, the quiet after them not yet over. */
  noticed(count: number): Promise<void>;
  counts: { noticed: number; calls: number };
  runtime: FixedRuntime;
}

/** Watches a folder by a clock that stands still: a change is noticed when it sets a timer. */
async function watching(root: string): Promise<Watched> {
  const runtime = new FixedRuntime();
  const counts = { noticed: 0, calls: 0 };
  let look = (): void => {};
  const timed = {
    ...{ now: () => runtime.now(), logger: runtime.logger },
    timer(ms: number, fn: () => void) {
      counts.noticed++;
      look();
      return runtime.timer(ms, fn);
    },
  };
  const stop = await watchFiles(root, {
    runtime: Object.assign(Object.create(runtime) as FixedRuntime, timed),
    changed: () => counts.calls++,
  });
  onTestFinished(stop);
  const noticed = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => counts.noticed >= count && resolve();
      look();
    });
  return { noticed, counts, runtime };
}

it('calls once for several changes, when it has been quiet for a moment', async () => {
  const root = temporaryFolder({ 'agent.ts': '1' });
  const { noticed, counts, runtime } = await watching(root);
  writeFiles(root, { 'agent.ts': '22', 'deep/new.ts': '1', '.env': 'A=1' });
  await noticed(3);
  await runtime.advance(99);
  expect(counts.calls).toBe(0);
  await runtime.advance(1);
  expect(counts.calls).toBe(1);
  rmSync(join(root, 'agent.ts'));
  await noticed(counts.noticed + 1);
  await runtime.advance(100);
  expect(counts.calls).toBe(2);
});

it('passes over what is stored, saved, installed, built or no source', async () => {
  const root = temporaryFolder({ 'agent.ts': '1' });
  const { noticed, counts } = await watching(root);
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
  await noticed(1);
  // `last.md` itself, and at most the folder that some systems tell of.
  expect(counts.noticed).toBe(1);
});
