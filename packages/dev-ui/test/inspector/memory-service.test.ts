import { createEvent } from '@thole/core';
import { turnId } from '@thole/core/kit';
import type { MemoryEntry, NewMemory } from '@thole/core';
import { ClientError } from '@thole/client';
import type { MemoryClient } from '@thole/client';
import { InMemoryMemoryService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { correctMemory } from '../../page/inspector/memory/correct-memory.ts';
import { forgetMemory } from '../../page/inspector/memory/forget-memory.ts';
import { readEvidence } from '../../page/inspector/memory/read-evidence.ts';

const user = { appName: 'hotel', userId: 'ada' };
const textContent = (text: string) => ({ role: 'user' as const, parts: [{ text }] });

/** Returns a client of the memory service, and the filters of its `list` calls. */
function memoryOf(service: InMemoryMemoryService) {
  const filters: unknown[] = [];
  const memory: Pick<MemoryClient, 'list' | 'add' | 'update'> = {
    list({ limit, ...p }) {
      filters.push(p.filter);
      // Small pages, so that there are several pages.
      return service.listMemories({ ...p, limit: Math.min(limit ?? 2, 2) });
    },
    add: (p) => service.addMemory({ ...p, memories: p.memories as NewMemory[] }),
    update: async (p) => (await service.updateMemory(p))!,
  };
  return { memory, filters };
}

async function createService(): Promise<{ service: InMemoryMemoryService; turns: string[]; fact: MemoryEntry }> {
  const service = new InMemoryMemoryService({ runtime: new FixedRuntime() });
  const texts = ['Hello.', 'I like figs.', 'And quiet rooms.', 'Figs above all.', 'Bye.'];
  const events = texts.map((text, i) =>
    createEvent({ id: `e${i}`, author: 'user', content: textContent(text), timestamp: i }),
  );
  await service.addEventsToMemory({ ...user, sessionId: 's', events });
  const turns = events.map(({ id }) => turnId('s', id));
  const [fact] = await service.addMemory({
    ...user,
    memories: [{ kind: 'fact', content: textContent('Likes figs.'), evidence: [turns[3]!, turns[1]!], validFrom: 3 }],
  });
  return { service, turns, fact: fact! };
}

/** Returns the facts, past facts first. */
async function factsOf(service: InMemoryMemoryService): Promise<MemoryEntry[]> {
  const { memories } = await service.listMemories({ ...user, filter: { kinds: ['fact'] } });
  return memories.toSorted((a, b) => Number(a.supersededBy === undefined) - Number(b.supersededBy === undefined));
}

const texts = (entries: readonly (MemoryEntry | undefined)[]) =>
  entries.map((entry) => entry?.content.parts?.[0]?.text);

describe('readEvidence', () => {
  it('returns the evidence of a fact in order, and reads only the needed events', async () => {
    const { service, fact } = await createService();
    const { memory, filters } = memoryOf(service);
    const evidence = await readEvidence(memory, { ...user, ids: fact.evidence!, known: [] });
    expect(texts(evidence.map(({ entry }) => entry))).toEqual(['Figs above all.', 'I like figs.']);
    expect(filters).toEqual([
      { kinds: ['turn'], sessionId: 's' },
      { kinds: ['turn'], sessionId: 's' },
    ]);
  });

  it('uses entries that were read before, and returns undefined for missing entries', async () => {
    const { service, turns } = await createService();
    const { memory, filters } = memoryOf(service);
    const note: MemoryEntry = { id: 'note', kind: 'note', content: textContent('Figs!') };
    await service.deleteMemory({ ...user, ids: [turns[0]!] });
    const ids = ['note', 'of another kind', '["a",1]', '["a","b","c"]', turns[0]!];
    const evidence = await readEvidence(memory, { ...user, ids, known: [note] });
    expect(evidence.map(({ id }) => id)).toEqual(ids);
    expect(texts(evidence.map(({ entry }) => entry))).toEqual(['Figs!', ...Array.from({ length: 4 })]);
    expect(filters.every((filter) => JSON.stringify(filter).includes('"s"'))).toBe(true);
  });
});

describe('correctMemory', () => {
  it('ends a fact and adds another one with the same evidence', async () => {
    const { service, fact } = await createService();
    const { memory } = memoryOf(service);
    const id = await correctMemory(memory, { ...user, entry: fact, text: 'Likes dates.', now: 50, correction: {} });
    const memories = await factsOf(service);
    expect(memories).toEqual([
      { ...fact, validTo: 50, supersededBy: id },
      expect.objectContaining({
        id,
        kind: 'fact',
        content: textContent('Likes dates.'),
        validFrom: 50,
        evidence: fact.evidence,
      }),
    ]);
    const { memories: found } = await service.searchMemory({ ...user, query: 'dates' });
    expect(found[0]?.id).toBe(id);
  });

  it('keeps validity, successor and metadata of a corrected fact', async () => {
    const { service, fact } = await createService();
    const kept = { validTo: 900, supersededBy: 'later', customMetadata: { topic: 'food' } };
    const { memory } = memoryOf(service);
    const entry = await memory.update({ ...user, id: fact.id, change: kept });
    const id = await correctMemory(memory, { ...user, entry, text: 'Likes dates.', now: 50, correction: {} });
    const memories = await factsOf(service);
    expect(memories.find((each) => each.id === id)).toMatchObject({ validFrom: 50, ...kept });
    expect(memories.find((each) => each.id === fact.id)).toMatchObject({ validTo: 50, supersededBy: id });
  });

  it('adds one fact if it is repeated after a failure', async () => {
    const { service, fact } = await createService();
    const { memory } = memoryOf(service);
    const correction = {};
    const p = { ...user, entry: fact, text: 'Likes dates.', now: 50, correction };
    const failing = { ...memory, update: () => Promise.reject(new Error('cut')) };
    await expect(correctMemory(failing, p)).rejects.toThrow('cut');
    await correctMemory(memory, p);
    const memories = await factsOf(service);
    expect(memories.map(({ supersededBy }) => supersededBy !== undefined)).toEqual([true, false]);
  });

  it('never ends a fact before its start', async () => {
    const { service, fact } = await createService();
    const entry = { ...fact, validFrom: 80 };
    const { memory } = memoryOf(service);
    await correctMemory(memory, { ...user, entry, text: 'Likes dates.', now: 50, correction: {} });
    const memories = await factsOf(service);
    expect(memories.map(({ validFrom, validTo }) => [validFrom, validTo])).toEqual([
      [3, 80],
      [80, undefined],
    ]);
  });

  it('changes a note and a turn in place', async () => {
    const { service, turns } = await createService();
    const { memory } = memoryOf(service);
    const { memories } = await service.listMemories({ ...user, filter: { kinds: ['turn'] } });
    const entry = memories.find(({ id }) => id === turns[1])!;
    expect(await correctMemory(memory, { ...user, entry, text: 'I like dates.', now: 50, correction: {} })).toBe(
      entry.id,
    );
    const after = await service.listMemories({ ...user, filter: { kinds: ['turn'] } });
    expect(texts(after.memories)).toContain('I like dates.');
    expect(after.memories).toHaveLength(5);
  });
});

describe('forgetMemory', () => {
  const clientOf = (service: InMemoryMemoryService): Pick<MemoryClient, 'findSame' | 'forget'> => ({
    findSame: ({ id, ...p }) => service.findSameMemories({ ...p, ids: [id] }),
    forget: async ({ id, ...p }) => void (await service.deleteMemory({ ...p, ids: [id] })),
  });
  const idsIn = async (service: InMemoryMemoryService): Promise<string[]> =>
    (await service.listMemories(user)).memories.map(({ id }) => id);

  it('returns other memories with the same content, without the deleted evidence', async () => {
    const { service, turns, fact } = await createService();
    await service.addMemory({ ...user, memories: [{ id: 'note', kind: 'note', content: textContent('Likes figs!') }] });
    const same = await forgetMemory(clientOf(service), { ...user, id: fact.id, keepEvidence: false });
    expect(same.map(({ id }) => id)).toEqual(['note']);
    expect(await idsIn(service)).toEqual([turns[0], turns[2], turns[4], 'note']);
  });

  it('returns an empty list if the evidence is kept', async () => {
    const { service, turns, fact } = await createService();
    expect(await forgetMemory(clientOf(service), { ...user, id: fact.id, keepEvidence: true })).toEqual([]);
    expect(await idsIn(service)).toEqual(turns);
  });

  it.each(['MEMORY_NOT_CONFIGURED', 'NOT_FOUND'])('deletes if the search for others fails with %s', async (code) => {
    const { service, fact } = await createService();
    const findSame = () => Promise.reject(new ClientError('No.', { code }));
    expect(
      await forgetMemory({ ...clientOf(service), findSame }, { ...user, id: fact.id, keepEvidence: false }),
    ).toEqual([]);
    expect(await idsIn(service)).not.toContain(fact.id);
  });

  it('deletes nothing if the search for others fails with another error', async () => {
    const { service, fact } = await createService();
    const findSame = () => Promise.reject(new ClientError('Down.', { code: 'STORE_UNAVAILABLE' }));
    await expect(
      forgetMemory({ ...clientOf(service), findSame }, { ...user, id: fact.id, keepEvidence: false }),
    ).rejects.toThrow('Down.');
    expect(await idsIn(service)).toContain(fact.id);
  });
});
