import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TholeError } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { compareMemorySearches, writeRandomMemories } from '@thole/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeWith, rounds, startMariaDb, startPostgres, until } from '../../../../test/servers/index.ts';
import { readOutput, startProcess } from '../support/start-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'memory-processes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const alice = { appName: 'hotel', userId: 'alice' };
const user = { appName: 'app', userId: 'u' };

function note(id: string): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text: id }] } };
}

/** Tests of memory that several processes use. The user has this number of turns before the other process writes. */
function testSharedMemory(dbUrl: string, tablePrefix: string, turns: number): void {
  it(
    'finds the same as InMemoryMemoryService, also while another process writes (contract 32)',
    { timeout: 600_000 },
    async () => {
      const service = new DatabaseMemoryService({ dbUrl, tablePrefix, timeoutMs: 300_000 });
      onTestFinished(() => service.close());
      const reference = new InMemoryMemoryService();
      const ownChanges = { ...alice, seed: 1, turns, changes: 60 };
      for (const each of [service, reference]) await writeRandomMemories(each, ownChanges);
      await compareMemorySearches(service, reference, { ...alice, seed: 1 });
      const otherChanges = { ...alice, seed: 2, turns: 800, changes: 120 };
      const writer = startProcess('write-memories.ts', dbUrl, tablePrefix, '2', '800', '120');
      const ending = readOutput(writer);
      await once(writer.stdout, 'data');
      let searches = 0;
      for (; writer.exitCode === null; searches++) {
        await service.searchMemory({ ...alice, query: 'pizza in the garden', limit: 5 });
        await sleep(rounds(10, 1));
      }
      expect((await ending).code).toBe(0);
      expect(searches).toBeGreaterThan(1);
      await writeRandomMemories(reference, otherChanges);
      await compareMemorySearches(service, reference, { ...alice, seed: 2 });
      // A new service returns the same results.
      const later = new DatabaseMemoryService({ dbUrl, tablePrefix, timeoutMs: 300_000 });
      onTestFinished(() => later.close());
      await compareMemorySearches(later, reference, { ...alice, seed: 3 });
    },
  );
}

/** Kills a process that writes, and checks that all acknowledged writes are stored. */
async function checkKilledProcess(
  dbUrl: string,
  round: number,
  acknowledged: { put: Set<string>; removed: Set<string> },
): Promise<void> {
  const child = startProcess('put-memories.ts', dbUrl, `p${round}`);
  const ending = readOutput(child);
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // A line has about 7 bytes.
    if (size > 40 * (1 + (round % 7))) child.kill('SIGKILL');
  });
  for (const line of (await ending).lines)
    (line.startsWith('+') ? acknowledged.put : acknowledged.removed).add(line.slice(1));
  const store = new SqlMemoryStore({ dbUrl, timeoutMs: 300_000 });
  try {
    const { changes, removals, more } = await store.since(user, 0, 1_000_000);
    const present = new Set(changes.flatMap((each) => ('removed' in each ? [] : each.entry.id)));
    const tombstones = new Set(changes.flatMap((each) => ('removed' in each ? each.removed : [])));
    expect([more, removals, changes.length]).toEqual([false, tombstones.size, present.size + tombstones.size]);
    expect([...acknowledged.put].filter((id) => !present.has(id) && !tombstones.has(id))).toEqual([]);
    expect([...acknowledged.removed].filter((id) => !tombstones.has(id))).toEqual([]);
    // Each put stored both entries or none. At most one removal of each round was not acknowledged.
    const puts = [...present, ...tombstones].filter((id) => id.endsWith('a')).map((id) => id.replace(/a$/, 'b'));
    expect(puts.filter((id) => !present.has(id))).toEqual([]);
    expect(tombstones.size - acknowledged.removed.size).toBeLessThanOrEqual(round + 1);
    const { seq } = await store.put(user, [note(`after ${round}`)], 'ifAbsent');
    expect(seq).toBe(changes.at(-1)!.seq + 1);
    await store.remove(user, { ids: [`after ${round}`] }, 0);
    acknowledged.removed.add(`after ${round}`);
  } finally {
    await store.close();
  }
}

describe('Memory in a SQLite file of several processes', () => {
  testSharedMemory(`sqlite:///${join(folder, 'shared.db')}`, 'thole_', 3_000);

  it('keeps acknowledged puts and removals when a process is killed (contract 31)', async () => {
    const acknowledged = { put: new Set<string>(), removed: new Set<string>() };
    for (let i = 0; i < rounds(3, 100); i++)
      await checkKilledProcess(`sqlite:///${join(folder, 'killed.db')}`, i, acknowledged);
    expect(acknowledged.put.size).toBeGreaterThan(5);
  });
});

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `Memory on ${kind} of several processes`, (dbUrl) => {
    testSharedMemory(dbUrl, `between_${kind}_`, rounds(600, 3_000));
  });
}

const starts = [
  ['postgres', startPostgres],
  ['mariadb', startMariaDb],
] as const;

for (const [kind, start] of starts) {
  describeWith(kind, `Memory during outages of ${kind}`, () => {
    it(
      'keeps acknowledged writes when our process or the server is killed (contract 31)',
      { timeout: rounds(300_000, 1_800_000) },
      async () => {
        const server = await start();
        onTestFinished(() => server.remove());
        const acknowledged = { put: new Set<string>(), removed: new Set<string>() };
        for (let i = 0; i < rounds(2, 30); i++) await checkKilledProcess(server.url, i, acknowledged);
        const store = new SqlMemoryStore({ dbUrl: server.url, timeoutMs: 20_000 });
        onTestFinished(() => store.close());
        await store.put(user, [note('before')], 'ifAbsent');
        const codeOf = async (call: Promise<unknown>): Promise<string> =>
          call.then(
            () => 'done',
            (error: unknown) => (TholeError.is(error) ? error.code : String(error)),
          );
        const stored: string[] = [];
        const writing = (async () => {
          const outcomes = new Set<string>();
          for (let i = 0; !outcomes.has('STORE_UNAVAILABLE') && !outcomes.has('STORE_OUTCOME_UNKNOWN'); i++) {
            const outcome = await codeOf(store.put(user, [note(`w${i}`)], 'ifAbsent'));
            outcomes.add(outcome);
            if (outcome === 'done') stored.push(`w${i}`);
          }
          return outcomes;
        })();
        await until(() => stored.length > 5);
        await server.kill();
        const outcomes = await writing;
        expect([...outcomes].filter((code) => !/^(done|STORE_(OUTCOME_UNKNOWN|UNAVAILABLE))$/.test(code))).toEqual([]);
        const startedAt = performance.now();
        expect(await codeOf(store.since(user, 0, 10))).toBe('STORE_UNAVAILABLE');
        expect(await codeOf(store.remove(user, 'everything', 0))).toMatch(/^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/);
        // Two calls of twenty seconds, and time for a slow machine.
        expect(performance.now() - startedAt).toBeLessThan(60_000);
        await server.restart();
        const ids = (await store.list(user, { limit: 1_000_000 })).memories.map(({ entry }) => entry.id);
        expect(stored.filter((id) => !ids.includes(id))).toEqual([]);
        expect(ids).toContain('before');
      },
    );
  });
}
