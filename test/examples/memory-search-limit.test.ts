import { textOf } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const user = { appName: 'shop', userId: 'ann' };
const QUERY = "What was the user's preferred shipping method?";

// F345, with F099 and F100.
describe('example: searching memory with a limit', () => {
  it('returns the best memories up to the limit (contract 32)', async () => {
    const sessionService = new InMemorySessionService();
    const memoryService = new InMemoryMemoryService();
    const said = [
      'Express is my preferred shipping method.',
      ...[...Array(7).keys()].map((n) => `Order ${n}: what does shipping cost?`),
      'My cat is called Minka.',
    ];
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(...said.map(() => says('All right.'))) });
    const runner = new Runner({ appName: 'shop', agent, sessionService, memoryService, autoCreateSession: true });
    for (const newMessage of said) await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage });
    await memoryService.addSessionToMemory((await sessionService.getSession({ ...user, sessionId: 's' }))!);

    const { memories } = await memoryService.searchMemory({ ...user, query: QUERY, limit: 5 });
    expect(memories).toHaveLength(5);
    expect(textOf(memories[0]?.content)).toBe('Express is my preferred shipping method.');
    expect(memories.map((memory) => textOf(memory.content))).not.toContain('My cat is called Minka.');
    expect(memories[0]).toMatchObject({ kind: 'turn', author: 'user', sessionId: 's' });
    const scores = memories.map(({ score }) => score!);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));

    const one = await memoryService.searchMemory({ ...user, query: QUERY, limit: 1 });
    expect(one.memories).toEqual([memories[0]]);
  });

  it('finds nothing for an empty query and for unknown words (contract 32)', async () => {
    const memoryService = new InMemoryMemoryService();
    const content = { parts: [{ text: 'Express is my preferred shipping method.' }] };
    await memoryService.addMemory({ ...user, memories: [{ kind: 'note', content }] });
    expect((await memoryService.searchMemory({ ...user, query: '  ' })).memories).toEqual([]);
    expect((await memoryService.searchMemory({ ...user, query: 'xylophone' })).memories).toEqual([]);
  });
});
