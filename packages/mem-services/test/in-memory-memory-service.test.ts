import { memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { StoredMemoryService } from '@thole/recall';
import { InMemoryMemoryService, InMemoryMemoryStore } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';

register({ describe, it }, memoryServiceCases, {
  name: 'InMemoryMemoryService',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) => new InMemoryMemoryService({ runtime }),
});

const stores = new WeakMap<StoredMemoryService, InMemoryMemoryStore>();

register({ describe, it }, memoryServiceCases, {
  name: 'StoredMemoryService without room for an index, and another over the same store',
  claims: [...memoryAbilities, 'words', 'shared'],
  create(runtime) {
    const store = new InMemoryMemoryStore();
    const service = new StoredMemoryService(store, { runtime, indexBytes: 0 });
    stores.set(service, store);
    return service;
  },
  reopen: (service, runtime) => new StoredMemoryService(stores.get(service as StoredMemoryService)!, { runtime }),
});

describe(`InMemoryMemoryService with match 'substring'`, () => {
  it('finds the whole query anywhere, in any case, newest first, and nothing else', async () => {
    const memory = new InMemoryMemoryService({ match: 'substring' });
    const texts = ['A Pizza oven', 'two pizzas', 'pizza  oven', 'an oven for pizza'];
    const memories = texts.map((text, i) => ({ kind: 'note' as const, content: { parts: [{ text }] }, timestamp: i }));
    const user = { appName: 'hotel', userId: 'alice' };
    await memory.addMemory({ ...user, memories });
    const found = async (query: string, limit?: number): Promise<unknown[]> =>
      (await memory.searchMemory({ ...user, query, limit })).memories.map((one) => [
        one.content.parts![0]!.text,
        one.score,
      ]);
    expect(await found('PIZZA OVEN')).toEqual([['A Pizza oven', 1]]);
    expect(await found('pizza', 2)).toEqual([
      ['an oven for pizza', 1],
      ['pizza  oven', 1],
    ]);
    expect(await found('pizza?')).toEqual([]);
    expect(await found('izz')).toHaveLength(4);
  });

  it('refuses another match', () => {
    expect(() => new InMemoryMemoryService({ match: 'vibes' as never })).toThrow(
      `match must be 'words' or 'substring'`,
    );
  });
});
