import { textOf } from '@thole/core';
import type { MemoryService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService, VectorMemoryService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, HashEmbedder, says, ScriptedLlm } from '@thole/testing';
import { loadMemoryTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

/** Adds a first trip to memory. Returns the first memory that the concierge finds on the second trip. */
async function recallWith(memoryService: MemoryService): Promise<unknown> {
  const model = new ScriptedLlm(
    says('Noted.'),
    calls('load_memory', { query: 'rooms on high floors' }),
    says('Booked.'),
  );
  const sessionService = new InMemorySessionService();
  const agent = new LlmAgent({ name: 'concierge', model, tools: [loadMemoryTool()] });
  const runner = new Runner({ appName: 'hotel', agent, sessionService, memoryService, autoCreateSession: true });
  const first = { userId: 'alice', sessionId: 'trip-1', newMessage: 'I prefer rooms on high floors.' };
  await runner.runToCompletion(first);
  await memoryService.addSessionToMemory((await sessionService.getSession({ ...user, sessionId: 'trip-1' }))!);
  const { events } = await runner.runToCompletion({ ...first, sessionId: 'trip-2', newMessage: 'Like last time.' });
  const answer = events[1]?.content?.parts?.[0]?.functionResponse?.response as { memories: { text: string }[] };
  return answer.memories[0]?.text;
}

// F338, with F120–F122.
describe('example: vector memory instead of word search', () => {
  it('finds the same memory with both services (contract 32)', async () => {
    const vectors = new VectorMemoryService({ embedder: new HashEmbedder(), topK: 5, minScore: 0.3 });
    expect(await recallWith(new InMemoryMemoryService())).toBe('I prefer rooms on high floors.');
    expect(await recallWith(vectors)).toBe('I prefer rooms on high floors.');
  });

  it('returns at most topK entries with at least minScore, best first (contract 32)', async () => {
    const memory = new VectorMemoryService({ embedder: new HashEmbedder(), topK: 5, minScore: 0.3 });
    const texts = [...Array(8).keys()].map((n) => `The pool opens at ${n} o'clock.`);
    const memories = [...texts, 'Breakfast: eggs.'].map((text) => ({
      kind: 'note' as const,
      content: { parts: [{ text }] },
    }));
    await memory.addMemory({ ...user, memories });
    const found = (await memory.searchMemory({ ...user, query: "The pool opens at 3 o'clock." })).memories;
    expect(found).toHaveLength(5);
    expect(textOf(found[0]?.content)).toBe("The pool opens at 3 o'clock.");
    const scores = found.map(({ score }) => score!);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBeCloseTo(1, 5);
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0.3);
    expect((await memory.searchMemory({ ...user, query: 'xylophone' })).memories).toEqual([]);
  });

  it('embeds each entry and each query once', async () => {
    const embedder = new HashEmbedder();
    const memory = new VectorMemoryService({ embedder });
    await memory.addMemory({ ...user, memories: [{ kind: 'note', content: { parts: [{ text: 'High floors.' }] } }] });
    await memory.searchMemory({ ...user, query: 'floors' });
    await memory.searchMemory({ ...user, query: 'rooms' });
    expect(embedder.requests).toEqual([
      { texts: ['High floors.'], task: 'document' },
      { texts: ['floors'], task: 'query' },
      { texts: ['rooms'], task: 'query' },
    ]);
  });
});
