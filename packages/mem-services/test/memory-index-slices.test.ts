import { systemRuntime } from '@thole/core';
import type { IndexSegment, MemoryEntry, Runtime } from '@thole/core';
import { HashEmbedder } from '@thole/testing';
import { InMemoryMemoryStore, VectorMemoryService } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import type { MemoryIndex, MemoryRanking } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };
const question = { ...user, query: 'tea' };

function notes(count: number): MemoryEntry[] {
  return Array.from({ length: count }, (_, i) => {
    return { id: `n${i}`, kind: 'note', content: { parts: [{ text: `Guest ${i} likes tea.` }] }, timestamp: i };
  });
}

async function storeOf(count: number): Promise<InMemoryMemoryStore> {
  const store = new InMemoryMemoryStore();
  await store.put(user, notes(count), 'ifAbsent');
  return store;
}

/** Returns a runtime that calls `onPause` for each slice. Its clock advances by 1 ms with each read. */
function createSlicingRuntime(onPause: () => void): Runtime {
  let elapsed = 0;
  const system = systemRuntime();
  const eventLoopTurn = async (): Promise<void> => {
    onPause();
    await system.eventLoopTurn!();
  };
  return { ...system, monotonic: () => (elapsed += 1), eventLoopTurn };
}

/** Returns a ranking that finds the entry `n0`. */
function rankingOf(index: Partial<MemoryIndex>): MemoryRanking {
  const rank: MemoryIndex['rank'] = async () => [{ id: 'n0', score: 1 }];
  return { createIndex: () => ({ bytes: 10_000, put: () => {}, remove: () => {}, rank, ...index }) };
}

describe('time slices of StoredMemoryService', () => {
  it('contain at most 5 entries while an index is built', async () => {
    let entries = 0;
    const slices: number[] = [];
    const runtime = createSlicingRuntime(() => {
      slices.push(entries);
      entries = 0;
    });
    const ranking = rankingOf({ put: () => void entries++ });
    await new StoredMemoryService(await storeOf(1_000), { ranking, runtime }).searchMemory(question);
    // A slice has 10 ms. The clock is read before the header and before the words of an entry.
    expect(slices.length).toBeGreaterThan(190);
    expect(Math.max(...slices)).toBe(5);
  });

  it('separate the steps of warmUp, ranking and reading results in the first search', async () => {
    const steps: string[] = [];
    const store = await storeOf(3);
    const get = store.get.bind(store);
    store.get = (...p) => (steps.push('get'), get(...p));
    const ranking = rankingOf({
      *warmUp(query) {
        steps.push(query);
        yield;
        steps.push('second step');
        yield;
      },
      rank: async () => (steps.push('rank'), [{ id: 'n0', score: 1 }]),
    });
    const memory = new StoredMemoryService(store, {
      ranking,
      runtime: createSlicingRuntime(() => void steps.push('pause')),
    });
    await memory.searchMemory(question);
    expect(steps).toEqual(['tea', 'pause', 'second step', 'pause', 'rank', 'pause', 'get']);
    steps.length = 0;
    await memory.searchMemory(question);
    expect(steps).toEqual(['rank', 'get']);
  });

  it('run the steps of warmUp once, before concurrent searches rank', async () => {
    const steps: string[] = [];
    const ranking = rankingOf({
      *warmUp() {
        for (let i = 0; i < 3; i++) yield void steps.push('step');
      },
      rank: async () => (steps.push('rank'), []),
    });
    const memory = new StoredMemoryService(await storeOf(3), { ranking });
    await Promise.all([memory.searchMemory(question), memory.searchMemory(question)]);
    expect(steps).toEqual(['step', 'step', 'step', 'rank', 'rank']);
  });

  it('do not affect searches if warmUp throws', async () => {
    const warmUp = (): never => {
      throw new Error('not ready');
    };
    const memory = new StoredMemoryService(await storeOf(3), { ranking: rankingOf({ warmUp }) });
    expect((await memory.searchMemory(question)).memories).toHaveLength(1);
  });

  it.each(['vector', 'hybrid'] as const)(
    'separate the steps of a frequent word in the first search by %s',
    async (ranking) => {
      const pausesOf = async (count: number): Promise<number> => {
        let pauses = 0;
        const runtime = { ...createSlicingRuntime(() => void pauses++), monotonic: () => 0 };
        const entries = await storeOf(count);
        const memory = new VectorMemoryService({ embedder: new HashEmbedder(), entries, ranking, runtime });
        await memory.searchMemory(question);
        return pauses;
      };
      // A word of many entries and its variant have separate steps.
      expect((await pausesOf(300)) - (await pausesOf(3))).toBe(2);
    },
  );
});

describe('StoredMemoryService.saved', () => {
  class WithSaves extends StoredMemoryService {
    waitForSaves(): Promise<void> {
      return this.saved();
    }
  }

  it('waits for the save of an index that was evicted from the cache', async () => {
    const store = await storeOf(600);
    const saveStarted = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const save = store.abilities.segmented.saveSegment;
    store.abilities.segmented.saveSegment = async (...p) => {
      saveStarted.resolve();
      await mayEnd.promise;
      return save(...p);
    };
    const segments = (): Promise<IndexSegment[]> => store.abilities.segmented.loadSegments(user);
    const memory = new WithSaves(store, { indexBytes: 0 });
    await memory.searchMemory(question);
    await saveStarted.promise;
    await memory.searchMemory({ ...question, userId: 'bob' });
    let isSaved = false;
    const saved = memory.waitForSaves().then(() => void (isSaved = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([isSaved, (await segments()).length]).toEqual([false, 0]);
    mayEnd.resolve();
    await saved;
    expect(await segments()).toHaveLength(1);
  });
});
