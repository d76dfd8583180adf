import { textOf } from '@thole/core';
import type { Content } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { loadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const appName = 'assistant';

interface Assistant {
  runner: Runner;
  sessions: InMemorySessionService;
  memory: InMemoryMemoryService;
  model: ScriptedLlm;
  /** Returns the memory of a user, oldest first. */
  memoriesOf(userId: string): Promise<string[]>;
}

function createAssistant(...answers: ScriptedAnswer[]): Assistant {
  const sessions = new InMemorySessionService();
  const memory = new InMemoryMemoryService();
  const model = new ScriptedLlm(...answers);
  const agent = new LlmAgent({ name: 'assistant', model, tools: [loadMemoryTool(), rememberTool()] });
  const runner = new Runner({
    appName,
    agent,
    sessionService: sessions,
    memoryService: memory,
    autoCreateSession: true,
  });
  const memoriesOf = async (userId: string): Promise<string[]> =>
    (await memory.listMemories({ appName, userId })).memories.map(({ content }) => textOf(content));
  return { runner, sessions, memory, model, memoriesOf };
}

// F147, with F115, F157 and F158.
describe('example: a personal assistant', () => {
  it('yields the user’s message on request, so that both sides can be recorded', async () => {
    const { runner } = createAssistant(says('Noted.'), says('Noted.'));
    const run = { userId: 'itay', sessionId: 'itay:terminal', newMessage: "I'm vegetarian." };
    const both: string[] = [];
    for await (const event of runner.runAsync({ ...run, yieldUserMessage: true })) both.push(event.author);
    const replies: string[] = [];
    for await (const event of runner.runAsync(run)) replies.push(event.author);
    expect(both).toEqual(['user', 'assistant']);
    expect(replies).toEqual(['assistant']);
  });

  it('stores a fact word for word and recalls it on other channels of the same person only (contracts 30, 31)', async () => {
    const fact = "Grace is my girlfriend; her number is 555-0100. She doesn't like calls before 9!";
    const { runner, memory, model, memoriesOf } = createAssistant(
      calls('remember', { fact }),
      says('I will remember.'),
      calls('load_memory', { query: "Grace's number" }),
      says('555-0100.'),
      calls('load_memory', { query: "Grace's number" }),
      says('I do not know.'),
    );
    await runner.runToCompletion({ userId: 'itay', sessionId: 'itay:whatsapp', newMessage: 'Remember Grace.' });
    expect(await memoriesOf('itay')).toEqual([fact]);
    await runner.runToCompletion({ userId: 'itay', sessionId: 'itay:telegram', newMessage: "What is Grace's number?" });
    await runner.runToCompletion({ userId: 'dana', sessionId: 'dana:telegram', newMessage: "What is Grace's number?" });
    expect([3, 5].map((request) => answerIn(model.requests[request]?.contents))).toEqual([
      { memories: [expect.objectContaining({ text: fact })] },
      { memories: [] },
    ]);
    expect((await memory.listMemories({ appName, userId: 'itay' })).memories[0]?.kind).toBe('note');
  });

  it('forgets everything on request and does not restore it from the old session (contract 31)', async () => {
    const { runner, sessions, memory, memoriesOf } = createAssistant(says('Noted.'));
    const user = { appName, userId: 'itay' };
    await runner.runToCompletion({ userId: 'itay', sessionId: 's', newMessage: "I'm vegetarian." });
    const session = (await sessions.getSession({ ...user, sessionId: 's' }))!;
    await memory.addSessionToMemory(session);
    expect(await memoriesOf('itay')).toEqual(["I'm vegetarian.", 'Noted.']);
    expect(await memory.deleteUserMemory(user)).toBe(2);
    await memory.addSessionToMemory(session);
    expect(await memoriesOf('itay')).toEqual([]);
    expect(session.events, 'the session is unchanged').toHaveLength(2);
  });
});

function answerIn(contents: readonly Content[] | undefined): unknown {
  return contents?.at(-1)?.parts?.[0]?.functionResponse?.response;
}
