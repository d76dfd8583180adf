import type { JsonObject, MemoryService } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { forgetTool } from '../src/index.ts';
import type { ForgetAnswer, ForgetToolOptions } from '../src/index.ts';

const ada = { appName: 'hotel', userId: 'ada' };

async function createMemory() {
  const runtime = new FixedRuntime();
  const memory = new InMemoryMemoryService({ runtime });
  const fact = (id: string, text: string) => ({ id, kind: 'fact' as const, content: { parts: [{ text }] } });
  const memories = [
    { ...fact('old', 'Lives in Bonn.'), validTo: 2, supersededBy: 'new' },
    fact('new', 'Lives in Kiel.'),
    fact('said', 'We talked of her flat: lives in Kiel.'),
    fact('tea', 'Likes green tea.'),
  ];
  await memory.addMemory({ ...ada, memories });
  await memory.addMemory({ ...ada, userId: 'bob', memories: [fact('bob', 'Lives in Kiel.')] });
  const ids = async (userId: string = 'ada'): Promise<string[]> =>
    (await memory.listMemories({ ...ada, userId })).memories.map(({ id }) => id);
  return { runtime, memory, ids };
}

async function callForget(
  args: JsonObject,
  p: { runtime: FixedRuntime; memory?: MemoryService },
  options?: ForgetToolOptions,
): Promise<ForgetAnswer> {
  const toolContext = toolContextFor({ runtime: p.runtime, memoryService: p.memory, ...ada });
  return (await forgetTool(options).runAsync({ args, toolContext })) as ForgetAnswer;
}

describe('forget', () => {
  it('returns candidates and deletes nothing without an id or an exact match', async () => {
    const setup = await createMemory();
    const answer = await callForget({ what: 'where the user lives: Kiel' }, setup);
    expect(answer).toMatchObject({ forgotten: 0, note: expect.stringContaining('id') });
    expect(answer.candidates.map(({ id }) => id)).toContain('new');
    expect(answer.candidates[0]).toEqual({
      ...{ id: expect.any(String), kind: 'fact', text: expect.any(String), time: expect.any(String) },
    });
    expect(await setup.ids()).toHaveLength(4);
  });

  it('shows only the beginning of a long candidate, and deletes it by its id', async () => {
    const setup = await createMemory();
    const text = `Tax papers: ${'number '.repeat(1_000)}`;
    await setup.memory.addMemory({
      ...ada,
      memories: [{ id: 'papers', kind: 'note', content: { parts: [{ text }] } }],
    });
    const { candidates } = await callForget({ what: 'tax papers' }, setup);
    expect(candidates[0]).toMatchObject({ id: 'papers', text: expect.stringMatching(/^Tax papers: .{900,1000}…$/) });
    expect(await callForget({ what: 'tax papers', id: 'papers' }, setup)).toMatchObject({ forgotten: 1 });
  });

  it('deletes the candidate with the id and its earlier versions, and returns similar entries', async () => {
    const setup = await createMemory();
    const answer = await callForget({ what: 'lives Kiel', id: 'new' }, setup);
    expect(answer).toMatchObject({ forgotten: 2, note: expect.stringContaining('still remembered') });
    expect(answer.candidates.map(({ id }) => id)).toEqual(['said']);
    expect([await setup.ids(), await setup.ids('bob')]).toEqual([['said', 'tea'], ['bob']]);
  });

  it('deletes an exact match without an id, ignoring case and final punctuation', async () => {
    const setup = await createMemory();
    expect(await callForget({ what: 'likes  green tea' }, setup)).toEqual({ forgotten: 1, candidates: [] });
    expect(await setup.ids()).not.toContain('tea');
  });

  it('returns an error for an id that is not a candidate, also for the id of another memory', async () => {
    const setup = await createMemory();
    for (const id of ['nobody', 'tea', 'bob'])
      expect(await callForget({ what: 'lives in Kiel', id }, setup)).toMatchObject({
        forgotten: 0,
        error: expect.stringContaining('No candidate'),
        candidates: expect.arrayContaining([expect.objectContaining({ id: 'new' })]),
      });
    expect(await setup.ids()).toHaveLength(4);
  });

  it('returns a note that nothing is remembered if there is no candidate', async () => {
    const answer = await callForget({ what: 'helicopters' }, await createMemory());
    expect(answer).toEqual({ forgotten: 0, candidates: [], note: 'Nothing like this is remembered.' });
  });

  it('returns MEMORY_NOT_CONFIGURED without a service, or with one that cannot delete (contract 35)', async () => {
    const { runtime, memory } = await createMemory();
    const serviceWithoutDelete: MemoryService = {
      addSessionToMemory: (session) => memory.addSessionToMemory(session),
      searchMemory: (p) => memory.searchMemory(p),
    };
    expect(await callForget({ what: 'tea' }, { runtime })).toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
    expect(await callForget({ what: 'likes green tea' }, { runtime, memory: serviceWithoutDelete })).toMatchObject({
      code: 'MEMORY_NOT_CONFIGURED',
    });
  });

  it('returns at most limit candidates and rejects invalid options with INVALID_INPUT', async () => {
    expect((await callForget({ what: 'lives Kiel' }, await createMemory(), { limit: 1 })).candidates).toHaveLength(1);
    for (const options of [{ limit: 0 }, { most: 1 } as never])
      expect(() => forgetTool(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it.each([{}, { what: ' ' }, { what: 'x', id: 7 }])('rejects the arguments %j', async (args) => {
    await expect(callForget(args, await createMemory())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
