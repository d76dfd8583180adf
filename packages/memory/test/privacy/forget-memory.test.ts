import type { MemoryEntry, MemoryService } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { forgetMemory } from '@thole/memory';
import { describe, expect, it } from 'vitest';
import { ann, bob, conversation, texts } from '../support/conversations.ts';

const fact = (id: string, text: string, more: Partial<MemoryEntry> = {}): MemoryEntry => ({
  ...{ id, kind: 'fact', content: { parts: [{ text }] } },
  ...more,
});

async function all(memory: MemoryService): Promise<string[]> {
  return texts((await memory.listMemories!({ ...ann, filter: { kinds: ['turn', 'fact', 'note'] } })).memories);
}

describe('forgetMemory', () => {
  it('returns remaining entries that say the same as any deleted version', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addSessionToMemory(
      conversation('s1', [
        'user: I moved to Kiel.',
        'concierge: Lovely!',
        'user: My dog is called Rex.',
        'user: Kiel is cold.',
      ]),
    );
    await memory.addSessionToMemory(
      conversation('s2', ['user: As I said, I live in Bonn now.', 'user: I live on tea.']),
    );
    const memories = [
      fact('f1', 'Lives in Bonn.', { validTo: 2, supersededBy: 'f2' }),
      fact('f2', 'Moved to Kiel.'),
      fact('f3', 'The user moved to Kiel.'),
      { ...fact('n1', 'Has a dog called Rex.'), kind: 'note' as const },
    ];
    await memory.addMemory({ ...ann, memories });
    await memory.addMemory({ ...bob, memories: [fact('f2', 'Moved to Kiel.')] });
    const { count, remaining } = await forgetMemory({ ...ann, memory, ids: ['f2'] });
    expect(count).toBe(2);
    expect(texts(remaining).toSorted()).toEqual([
      'As I said, I live in Bonn now.',
      'I moved to Kiel.',
      'The user moved to Kiel.',
    ]);
    expect(await all(memory)).toEqual(expect.arrayContaining(texts(remaining)));
  });

  it('lists no turns to forget a fact, because a user may have many', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addMemory({ ...ann, memories: [fact('f1', 'Lives in Bonn.')] });
    const listed: unknown[] = [];
    const listMemories = memory.listMemories.bind(memory);
    memory.listMemories = (p) => {
      listed.push(p.filter?.kinds);
      return listMemories(p);
    };
    expect(await forgetMemory({ ...ann, memory, ids: ['f1'] })).toEqual({ count: 1, remaining: [] });
    expect(listed).toEqual([['fact', 'note']]);
  });

  it('returns turns that repeat a deleted turn', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addSessionToMemory(conversation('s1', ['user: My PIN is 4711.']));
    await memory.addSessionToMemory(
      conversation('s2', ['user: The PIN, again: my PIN is 4711.', 'user: A room, please.']),
    );
    const { count, remaining } = await forgetMemory({ ...ann, memory, ids: ['["s1","e1"]'] });
    expect([count, texts(remaining)]).toEqual([1, ['The PIN, again: my PIN is 4711.']]);
  });

  it('returns entries that say the same below minScore of the service', async () => {
    const memory = new InMemoryMemoryService({ minScore: 0.9 });
    const long =
      'Well, as I have said several times: my bank, for many years now, is the good old Volksbank here in Trier.';
    const memories = [
      fact('f1', 'My bank is the Volksbank.'),
      fact('f2', 'My bank is the Volksbank.'),
      { ...fact('n1', long), kind: 'note' as const },
    ];
    await memory.addMemory({ ...ann, memories });
    const { remaining } = await forgetMemory({ ...ann, memory, ids: ['f1'] });
    expect(remaining.map(({ id }) => id).toSorted()).toEqual(['f2', 'n1']);
  });

  it('searches for the nearest versions of a fact with hundreds of versions', async () => {
    const memory = new InMemoryMemoryService();
    const count = 200;
    const versions = Array.from({ length: count }, (_, i) =>
      fact(`f${i}`, `Weighs ${i} kilos.`, i + 1 < count ? { validTo: i, supersededBy: `f${i + 1}` } : {}),
    );
    const turn = { ...fact('t1', 'I weigh 198 kilos.'), kind: 'turn' as const, sessionId: 's1', eventId: 'e1' };
    await memory.addMemory({ ...ann, memories: [...versions, turn] });
    let searches = 0;
    const search = memory.searchMemory.bind(memory);
    memory.searchMemory = (p) => (searches++, search(p));
    expect((await memory.findSameMemories({ ...ann, ids: ['f199'] })).map(({ id }) => id)).toContain('t1');
    const forgotten = await forgetMemory({ ...ann, memory, ids: ['f199'] });
    expect([forgotten.count, forgotten.remaining.map(({ id }) => id), searches]).toEqual([200, ['t1'], 100]);
  });

  it('returns nothing if no entry was deleted', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addMemory({ ...ann, memories: [fact('f1', 'Likes tea.')] });
    expect(await forgetMemory({ ...ann, memory, ids: ['f2'] })).toEqual({ count: 0, remaining: [] });
  });

  it('throws MEMORY_NOT_CONFIGURED if the service cannot delete', async () => {
    const memory = new InMemoryMemoryService();
    const incomplete: MemoryService = {
      addSessionToMemory: (session) => memory.addSessionToMemory(session),
      searchMemory: (p) => memory.searchMemory(p),
      listMemories: (p) => memory.listMemories(p),
    };
    await expect(forgetMemory({ ...ann, memory: incomplete, ids: ['f1'] })).rejects.toMatchObject({
      code: 'MEMORY_NOT_CONFIGURED',
    });
  });

  it('rejects ids that are not an array of ids with INVALID_INPUT', async () => {
    const memory = new InMemoryMemoryService();
    for (const ids of [undefined, 'f1', [1]] as unknown as string[][])
      await expect(forgetMemory({ ...ann, memory, ids })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects an unknown option', async () => {
    const memory = new InMemoryMemoryService();
    const p = { ...ann, memory, ids: ['f1'], id: 'f1' };
    await expect(forgetMemory(p)).rejects.toThrow('forgetMemory');
  });
});
