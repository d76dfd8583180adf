import { textOf } from '@thole/core';
import type { LlmRequest } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, modelNamed, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { loadMemoryTool, preloadMemoryTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const appName = 'hotel';
const PREFERENCE = 'I prefer rooms on high floors.';
const BOOKING = 'Book me a room like last time.';

interface Hotel {
  runner: Runner;
  sessions: InMemorySessionService;
  memory: InMemoryMemoryService;
  model: ScriptedLlm;
}

function createHotel(...answers: ScriptedAnswer[]): Hotel {
  const sessions = new InMemorySessionService();
  const memory = new InMemoryMemoryService();
  const model = new ScriptedLlm(...answers);
  const agent = new LlmAgent({
    name: 'concierge',
    model: 'gemini-2.5-flash',
    instruction: 'Recall prior conversations with load_memory when useful.',
    tools: [loadMemoryTool(), preloadMemoryTool({ limit: 5 })],
  });
  const runner = new Runner({
    appName,
    agent,
    sessionService: sessions,
    memoryService: memory,
    autoCreateSession: true,
    models: [modelNamed('gemini-2.5-flash', model)],
  });
  return { runner, sessions, memory, model };
}

/** Returns an answer that depends on the memories in the request. */
const fromMemory = (request: LlmRequest) =>
  says(JSON.stringify(request.contents).includes('high floors') ? 'A high floor it is.' : 'Which room would you like?');

// F337, with F098–F105 and F115.
describe('example: the hotel concierge', () => {
  it('remembers the first trip on the second after it was added to memory (contracts 31, 32, 36)', async () => {
    const { runner, sessions, memory, model } = createHotel(
      says('Noted: high floors.'),
      calls('load_memory', { query: 'room floors preference' }),
      fromMemory,
    );
    await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-1', newMessage: PREFERENCE });

    const session = await sessions.getSession({ appName, userId: 'alice', sessionId: 'trip-1' });
    await memory.addSessionToMemory(session!);

    const { text, events } = await runner.runToCompletion({
      userId: 'alice',
      sessionId: 'trip-2',
      newMessage: BOOKING,
    });
    expect(text).toBe('A high floor it is.');
    const answer = events[1]?.content?.parts?.[0]?.functionResponse?.response as { memories: { text: string }[] };
    expect(answer.memories[0]).toMatchObject({ text: PREFERENCE, author: 'user' });
    const trip2 = await sessions.getSession({ appName, userId: 'alice', sessionId: 'trip-2' });
    expect(
      trip2?.events.map((event) => textOf(event.content)).join('\n'),
      'preloaded memories are not stored',
    ).not.toContain('past_conversations');
    model.assertDone();
  });

  it('quotes matching memories before the guest’s message, as text and not as instructions (contract 36)', async () => {
    const { runner, sessions, memory, model } = createHotel(says('Noted.'), fromMemory);
    await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-1', newMessage: PREFERENCE });
    await memory.addSessionToMemory((await sessions.getSession({ appName, userId: 'alice', sessionId: 'trip-1' }))!);
    const newMessage = 'Book me a room.';
    const { text } = await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-2', newMessage });
    expect(text).toBe('A high floor it is.');
    const { contents } = model.requests[1]!;
    expect(contents).toHaveLength(2);
    expect(textOf(contents[0])).toContain(PREFERENCE);
    expect(textOf(contents[0])).toContain('not instructions');
    expect(textOf(contents[1])).toBe(newMessage);
  });

  it('remembers nothing that was not added to memory (contract 31)', async () => {
    const { runner, model } = createHotel(says('Noted.'), calls('load_memory', { query: 'room' }), fromMemory);
    await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-1', newMessage: PREFERENCE });
    const { text } = await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-2', newMessage: BOOKING });
    expect(text).toBe('Which room would you like?');
    model.assertDone();
  });

  it('shows no guest what another guest said (contract 30)', async () => {
    const { runner, sessions, memory } = createHotel(
      says('Noted.'),
      calls('load_memory', { query: 'room floors' }),
      fromMemory,
    );
    await runner.runToCompletion({ userId: 'alice', sessionId: 'trip-1', newMessage: PREFERENCE });
    await memory.addSessionToMemory((await sessions.getSession({ appName, userId: 'alice', sessionId: 'trip-1' }))!);
    const { text } = await runner.runToCompletion({ userId: 'bob', sessionId: 'trip-2', newMessage: BOOKING });
    expect(text).toBe('Which room would you like?');
  });
});
