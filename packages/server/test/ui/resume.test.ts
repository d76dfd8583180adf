import { createEvent } from '@thole/core';
import type { Agent, LlmResponse } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { demo, neverAnswers, session } from '../demo.ts';
import { loadMessages, PageChat } from './page-chat.ts';

const STREAM = '/ui/demo/chat/s/stream?userId=ann';
const MESSAGES = 'http://localhost/ui/demo/chat/s/messages?userId=ann';

/** Returns an agent that answers `Good `, and `evening.` after `proceed` has resolved. */
function slowAgent(proceed: Promise<void>): Agent {
  return {
    name: 'slow',
    async *runAsync({ invocationId }) {
      const init = { id: 'event-x', author: 'slow', invocationId };
      const say = (text: string, partial?: true): ReturnType<typeof createEvent> =>
        createEvent({ ...init, content: { parts: [{ text }] }, ...(partial && { partial }) });
      yield say('Good ', true);
      await proceed;
      yield say('evening.', true);
      yield say('Good evening.');
    },
  };
}

describe('GET /ui/{app}/chat/{id}/stream', () => {
  it('sends a running answer to a reloaded page from its start', async () => {
    const proceed = Promise.withResolvers<void>();
    const { handler } = await demo({ onDisconnect: 'continue', rootAgent: slowAgent(proceed.promise) });
    const first = new PageChat(handler);
    const answered = first.sendMessage({ text: 'Hello' });
    await expect.poll(() => first.lastText).toBe('Good ');
    const messages = await loadMessages(handler);
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    expect(await (await handler(new Request(MESSAGES))).json()).toMatchObject({ isRunning: true });
    const reloaded = new PageChat(handler, { messages });
    const resumed = reloaded.resumeStream();
    await expect.poll(() => reloaded.lastText).toBe('Good ');
    proceed.resolve();
    await Promise.all([answered, resumed]);
    expect(reloaded.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
    expect(reloaded.plainParts).toEqual(first.plainParts);
    expect(reloaded.lastText).toBe('Good evening.');
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(first.plainParts);
  });

  it('sends the whole answer of a run that ends while its messages are read', async () => {
    const proceed = Promise.withResolvers<void>();
    const sessionService = new InMemorySessionService();
    const { handler, sessions } = await demo({
      ...{ onDisconnect: 'continue', sessionService, rootAgent: slowAgent(proceed.promise) },
    });
    const chat = new PageChat(handler);
    const answered = chat.sendMessage({ text: 'Hello' });
    await expect.poll(() => chat.lastText).toBe('Good ');
    const getSession = sessions.getSession.bind(sessions);
    let reads = 0;
    sessions.getSession = async (p) => {
      const session = await getSession(p);
      // The run ends after the second read. The first read finds the active run.
      if (++reads === 2) await (proceed.resolve(), answered);
      return session;
    };
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
    expect(chat.lastText).toBe('Good evening.');
  });

  it('continues a page that has lost its connection, without repeating text', async () => {
    const proceed = Promise.withResolvers<void>();
    const { handler } = await demo({ onDisconnect: 'continue', rootAgent: slowAgent(proceed.promise) });
    const chat = new PageChat(handler);
    const answered = chat.sendMessage({ text: 'Hello' });
    await expect.poll(() => chat.lastText).toBe('Good ');
    await chat.stop();
    await answered;
    const resumed = chat.resumeStream();
    proceed.resolve();
    await resumed;
    expect([chat.messages.length, chat.lastText]).toEqual([2, 'Good evening.']);
  });

  it('answers 204 if no run is active, and for a session that does not exist', async () => {
    const { handler, get } = await demo({ answers: [says('Hello.')] });
    expect((await get(STREAM)).status).toBe(204);
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Hello' });
    await chat.resumeStream();
    expect([chat.messages.length, chat.status]).toEqual([2, 'ready']);
    expect((await get(STREAM.replace('/s/', '/unknown/'))).status).toBe(204);
    expect((await get(STREAM.replace('ann', 'bob'))).status).toBe(204);
    expect(await (await get('/ui/demo/chat/unknown/messages?userId=ann')).json()).toEqual({
      messages: [],
      isRunning: false,
    });
  });

  it('streams a run of another process from the event log (contract 40)', async () => {
    const sessions = new InMemorySessionService();
    const answer = Promise.withResolvers<LlmResponse>();
    const called = Promise.withResolvers<void>();
    const model = new ScriptedLlm(calls('look', {}, 'c1'), () => (called.resolve(), answer.promise));
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => ({ found: true }) });
    const agent = new LlmAgent({ name: 'a', model, tools: [look] });
    const elsewhere = new Runner({ appName: 'demo', agent, sessionService: sessions });
    const { handler } = await demo({ sessionService: sessions });
    const run = elsewhere.runAsync({ ...session, newMessage: 'Hello', runConfig: { reader: 'detached' } });
    await called.promise;
    const chat = new PageChat(handler, { messages: await loadMessages(handler) });
    const resumed = chat.resumeStream();
    await expect.poll(() => chat.lastParts[0]).toMatchObject({ toolCallId: 'c1', output: { found: true } });
    answer.resolve(says('Found.') as LlmResponse);
    await resumed;
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage!.id).toBe(run.invocationId);
    expect(chat.lastText).toBe('Found.');
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
  });

  it('waits for the recovery of a run whose process has died, if the handler recovers', async () => {
    const runtime = new FixedRuntime();
    const sessions = new InMemorySessionService({ runtime });
    const dead = { holder: 'dead', policy: 'queue' as const, maxWaiting: 1, waitMs: 1, ttlMs: 30_000, cleanupMs: 1 };
    const without = await demo({ sessionService: sessions, runtime });
    await sessions.leasing!.lease(session, { ...dead, invocationId: 'invocation-x' });
    const content = { role: 'user' as const, parts: [{ text: 'Hello' }] };
    const event = createEvent({ invocationId: 'invocation-x', author: 'user', content }, runtime);
    await sessions.appendEvent({
      ...{ session, event, marks: { unfinished: 'invocation-x' } },
    });
    await runtime.advance(31_000);
    expect((await without.get(STREAM)).status).toBe(204);
    const { handler } = await demo({
      sessionService: sessions,
      runtime,
      isNext: true,
      recover: true,
      answers: [says('Back.')],
    });
    const chat = new PageChat(handler, { messages: await loadMessages(handler) });
    const resumed = chat.resumeStream();
    for (let i = 0; i < 300 && chat.status !== 'ready'; i++) await runtime.advance(1_000);
    await resumed;
    expect([chat.error, chat.lastText]).toEqual([undefined, 'Back.']);
    await handler.close();
  });

  it('sends the text of a long answer once to a reader that is slower than the buffer', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `part ${i} `);
    const { handler, post, sessions } = await demo({
      ...{ onDisconnect: 'continue', limits: { runBufferChars: 500 }, answers: [streams(...texts)] },
    });
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Tell me' }] }];
    const slow = await post('/ui/demo/chat?userId=ann', { id: 's', messages });
    await expect.poll(async () => (await sessions.getSession(session))!.events.length).toBe(2);
    const text = await slow.text();
    const deltas = [...text.matchAll(/"text-delta".*?"delta":"(.*?)"/g)].map(([, delta]) => delta);
    expect(deltas.join('')).toBe(texts.join(''));
    expect(deltas.length).toBeLessThan(20);
    expect((await loadMessages(handler))[1]!.parts.at(-1)).toMatchObject({ text: texts.join('') });
  });
});

describe('POST /ui/{app}/chat with a client that disconnects', () => {
  it('ends the run with onDisconnect abort, and the page keeps its text', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { handler, sessions } = await demo({ answers: [neverAnswers(called)] });
    const chat = new PageChat(handler);
    const answered = chat.sendMessage({ text: 'Hello' });
    const signal = await called.promise;
    await chat.stop();
    await answered;
    await expect.poll(() => signal.aborted).toBe(true);
    await expect.poll(async () => (await sessions.getSession(session))!.events.at(-1)!.errorCode).toBe('RUN_LEFT');
    expect((await loadMessages(handler)).map(({ role }) => role)).toEqual(['user']);
    expect(chat.status).toBe('ready');
  });

  it('slows down an attached run if the client reads slowly', async () => {
    let produced = 0;
    const rootAgent: Agent = {
      name: 'fast',
      async *runAsync({ invocationId }) {
        for (; produced < 1_000; produced++)
          yield createEvent({ author: 'fast', invocationId, content: { parts: [{ text: `${produced}` }] } });
      },
    };
    const { post } = await demo({ rootAgent });
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Count' }] }];
    const response = await post('/ui/demo/chat?userId=ann', { id: 's', messages });
    const reader = response.body!.getReader();
    for (let i = 0; i < 5; i++) await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThan(20);
    await reader.cancel();
  });
});

describe('DELETE /ui/{app}/chat/{id}/stream', () => {
  it('stops a run that continues without its client, and the stream ends as aborted', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { handler, post } = await demo({ onDisconnect: 'continue', answers: [neverAnswers(called)] });
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const streamed = await post('/ui/demo/chat?userId=ann', { id: 's', messages });
    await called.promise;
    const stop = (): Promise<Response> => handler(new Request(`http://localhost${STREAM}`, { method: 'DELETE' }));
    expect(await (await stop()).json()).toEqual({ cancelled: true });
    expect((await streamed.text()).trim().split('\n\n').slice(-2)).toEqual([
      expect.stringContaining('"type":"abort"'),
      'data: [DONE]',
    ]);
    expect(await (await stop()).json()).toEqual({ cancelled: false });
  });
});

describe('Handler.close', () => {
  it('ends the stream of a durable session with an error, so that the page resumes it elsewhere', async () => {
    const sessions = Object.assign(new InMemorySessionService(), { isDurable: true });
    const called = Promise.withResolvers<AbortSignal>();
    const { handler } = await demo({ sessionService: sessions, answers: [neverAnswers(called)] });
    const chat = new PageChat(handler);
    const answered = chat.sendMessage({ text: 'Hello' });
    await called.promise;
    await handler.close({ timeoutMs: 1 });
    await answered;
    expect([chat.status, chat.error?.message]).toEqual([
      'error',
      expect.stringMatching(/read the stream of the run again/),
    ]);
    // The run has not ended: nothing about its end is stored.
    expect((await sessions.getSession(session))!.events.map(({ author }) => author)).toEqual(['user']);
  });
});
