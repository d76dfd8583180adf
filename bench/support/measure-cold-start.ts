import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseMemoryService } from '@thole/sql-services';
import { median } from './figures.ts';
import type { Figures } from './figures.ts';
import { fillMemory } from './fill-memory.ts';
import { GeneratedTalk } from './generated-talk.ts';
import { clearNursery } from './measure.ts';

const user = { appName: 'app', userId: 'u' };
const SAVING_MS = 1_000;
const ms = (value: number): string => `${value.toPrecision(3)} ms`;

/** Measures the first search of a new process over SQLite, with and without a saved index. */
export async function measureColdStart(figures: Figures): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-'));
  const dbUrl = `sqlite:///${join(folder, 'memory.db')}`;
  const talk = new GeneratedTalk(11);
  const query = talk.question();
  const first = new DatabaseMemoryService(dbUrl);
  await fillMemory(first, talk.sessions(10_000, user.appName, user.userId));
  const search = async (): Promise<number> => {
    const memory = new DatabaseMemoryService(dbUrl);
    await memory.ping();
    clearNursery();
    const begin = performance.now();
    await memory.searchMemory({ ...user, query });
    const took = performance.now() - begin;
    // Saving continues in the background.
    await wait(SAVING_MS);
    await memory.close();
    return took;
  };
  // Each search except the first finds the saved index. Removing an entry deletes it again.
  const analysing: number[] = [];
  const loading: number[] = [];
  for (let i = 0; i < 11; i++) {
    await first.addMemory({
      ...user,
      memories: [{ id: 'gone', kind: 'note', content: { parts: [{ text: 'Gone.' }] } }],
    });
    await first.deleteMemory({ ...user, ids: ['gone'] });
    analysing.push(await search());
    loading.push(await search());
  }
  await first.close();
  rmSync(folder, { recursive: true });
  const [ours, theirs] = [median(loading), median(analysing)];
  figures.add(
    'first search of a process, 10,000 turns in SQLite',
    ms(ours),
    `analysing ${ms(theirs)}`,
    ours / theirs,
    1 / 4,
  );
}
