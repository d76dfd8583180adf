import type { MemoryEntry, MemoryScope } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const ada = { appName: 'hotel', userId: 'ada' };

function fact(id: string, evidence: string[], text = id): MemoryEntry {
  return { id, kind: 'fact', evidence, content: { parts: [{ text }] } };
}

const turn = (id: string): MemoryEntry => ({ id, kind: 'turn', content: { parts: [{ text: id }] } });

/** A store that runs `beforeRemove` once, before its first removal, and counts the read pages of lists. */
class InterruptedStore extends InMemoryMemoryStore {
  pages = 0;
  beforeRemove: (() => Promise<unknown>) | undefined;

  override list(...p: Parameters<InMemoryMemoryStore['list']>): ReturnType<InMemoryMemoryStore['list']> {
    this.pages++;
    return super.list(...p);
  }

  override async remove(...p: Parameters<InMemoryMemoryStore['remove']>): Promise<number> {
    const work = this.beforeRemove;
    this.beforeRemove = undefined;
    await work?.();
    return super.remove(...p);
  }
}

/** Returns ids and evidence of all facts of the store. */
async function factsIn(store: InMemoryMemoryStore, scope: MemoryScope): Promise<Record<string, readonly string[]>> {
  const { memories } = await store.list(scope, { limit: 5_000, filter: { kinds: ['fact'] } });
  return Object.fromEntries(memories.map(({ entry }) => [entry.id, entry.evidence ?? []]));
}

describe('deleteMemory', () => {
  it('repairs facts that another process writes during the deletion (contract 31)', async () => {
    const store = new InterruptedStore();
    const memory = new StoredMemoryService(store);
    await memory.addMemory({ ...ada, memories: [turn('t1'), turn('t2'), fact('old', ['t1', 't2'])] });
    // More entries than the deletion reads in one call.
    const turns = Array.from({ length: 510 }, (_, i) => turn(`later${i}`));
    const late = [...turns, fact('alone', ['t1']), fact('both', ['t1', 't2']), fact('chain', ['alone'])];
    store.beforeRemove = () => store.put(ada, late, 'ifAbsent');
    expect(await memory.deleteMemory({ ...ada, ids: ['t1'] })).toBe(3);
    expect(await factsIn(store, ada)).toEqual({ old: ['t2'], both: ['t2'] });
  });

  it('keeps a change of a fact that another process makes after the facts were listed', async () => {
    const store = new InterruptedStore();
    const memory = new StoredMemoryService(store);
    await memory.addMemory({ ...ada, memories: [turn('t1'), turn('t2'), fact('f', ['t1', 't2'], 'early')] });
    const list = store.list.bind(store);
    store.list = async (...p) => {
      const page = await list(...p);
      store.list = list;
      await store.put(ada, [fact('f', ['t1', 't2'], 'late')], 'replace');
      return page;
    };
    expect(await memory.deleteMemory({ ...ada, ids: ['t1'], keepEvidence: true })).toBe(1);
    const [found] = await store.get(ada, ['f']);
    expect(found?.entry).toEqual(fact('f', ['t2'], 'late'));
  });

  it('reads the facts of a user once', async () => {
    const store = new InterruptedStore();
    const memory = new StoredMemoryService(store);
    await memory.addMemory({ ...ada, memories: Array.from({ length: 1_010 }, (_, i) => fact(`f${i}`, [`t${i}`])) });
    for (const keepEvidence of [true, false]) {
      store.pages = 0;
      expect(await memory.deleteMemory({ ...ada, ids: [`f${Number(keepEvidence)}`], keepEvidence })).toBe(1);
      expect(store.pages).toBe(3);
    }
  });
});
