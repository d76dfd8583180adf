import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '@thole/core';
import type { MemoryEntry, Runtime } from '@thole/core';
import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ENTRIES = 20_000;
const alice = { appName: 'hotel', userId: 'alice' };
const folder = mkdtempSync(join(tmpdir(), 'memory-turns-'));
const dbUrl = `sqlite:///${join(folder, 'memory.db')}`;

/** Returns a runtime whose clock advances with each read, so that the number of pauses does not depend on the machine. */
function createCountingRuntime(): Runtime {
  let elapsed = 0;
  return { ...systemRuntime(), monotonic: () => (elapsed += 0.5) };
}

/** Counts the turns of the event loop during `work`. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

const options = { dbUrl, timeoutMs: 1e9, runtime: createCountingRuntime() };
const store = new SqlMemoryStore(options);
const { segmented } = store.abilities;

beforeAll(async () => {
  for (let i = 0; i < ENTRIES; i += 2_000) {
    const entries = Array.from({ length: 2_000 }, (_, j): MemoryEntry => {
      const text = `Guest number ${i + j} asks for towel ${(i + j) % 97}.`;
      return { id: `n${i + j}`, kind: 'note', content: { parts: [{ text }] }, timestamp: i + j };
    });
    await store.put(alice, entries, 'ifAbsent');
  }
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('Event loop', () => {
  it('is not blocked while an index of 20,000 entries is built, saved and loaded', async () => {
    const isSaved = async (): Promise<boolean> => (await segmented.loadSegments(alice)).length > 0;
    const first = new DatabaseMemoryService(options);
    const search = async (service: DatabaseMemoryService): Promise<void> => {
      const { memories } = await service.searchMemory({ ...alice, query: 'guest 19999' });
      expect(memories[0]?.id).toBe('n19999');
    };
    expect(await countTurns(() => search(first))).toBeGreaterThan(100);
    await expect.poll(isSaved, { timeout: 30_000 }).toBe(true);
    await first.close();
    const second = new DatabaseMemoryService(options);
    expect(await countTurns(() => search(second))).toBeGreaterThan(5);
    await second.close();
  });

  it('is not blocked while 8 MB are saved, and readers see the complete segment or none', async () => {
    const bytes = new Uint8Array(8_000_000).map((_, i) => i % 251);
    const { removals, changes } = await store.since(alice, ENTRIES - 1, 10);
    const upTo = changes.at(-1)!.seq + 1;
    const seen = new Set<number>();
    let isOver = false;
    const poll = async (): Promise<void> => {
      while (!isOver) {
        for (const segment of await segmented.loadSegments(alice))
          if (segment.analyzer === 'bytes') seen.add(segment.bytes.length);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const polling = poll();
    const segment = { analyzer: 'bytes', upTo, bytes };
    const save = (): Promise<boolean> => segmented.saveSegment(alice, segment, { ifRemovals: removals });
    expect(await countTurns(save)).toBeGreaterThan(2);
    isOver = true;
    await polling;
    expect([...seen].every((length) => length === bytes.length)).toBe(true);
    const [found] = (await segmented.loadSegments(alice)).filter(({ analyzer }) => analyzer === 'bytes');
    expect(found?.bytes.every((byte, i) => byte === i % 251)).toBe(true);
  });

  it('is not blocked by a large checkpoint: the log never contains all parts of a segment', async () => {
    const path = join(folder, 'parts.db');
    const parts = new SqlMemoryStore({ ...options, dbUrl: `sqlite:///${path}` });
    await parts.put(alice, [{ id: 'n', kind: 'note', content: { parts: [{ text: 'A towel.' }] } }], 'ifAbsent');
    const segment = { analyzer: 'bytes', upTo: 1, bytes: new Uint8Array(8_000_000).fill(7) };
    expect(await parts.abilities.segmented.saveSegment(alice, segment, { ifRemovals: 0 })).toBe(true);
    // After each checkpoint, SQLite writes the log from its beginning again. The file of the log does not shrink.
    expect(statSync(`${path}-wal`).size).toBeLessThan(2_000_000);
    await parts.close();
  });

  it('keeps one segment and no other rows after two concurrent saves', async () => {
    const { removals } = await store.since(alice, ENTRIES - 1, 10);
    const bytes = [1, 2].map((value) => new Uint8Array(2_000_000).fill(value));
    const saved = await Promise.all(
      bytes.map((each) =>
        segmented.saveSegment(alice, { analyzer: 'twice', upTo: 7, bytes: each }, { ifRemovals: removals }),
      ),
    );
    expect(saved).toEqual([true, true]);
    const found = (await segmented.loadSegments(alice)).filter(({ analyzer }) => analyzer === 'twice');
    expect(found.map(({ bytes: [first], bytes: { length } }) => [first === 1 || first === 2, length])).toEqual([
      [true, 2_000_000],
    ]);
  });
});
