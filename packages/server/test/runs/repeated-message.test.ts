import { createEvent, silentLogger } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { calls, fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { bookingDesk } from '../booking-desk.ts';
import { demo, message, neverAnswers, session } from '../demo.ts';
import { allFrames, describeFrame } from '../frames.ts';

const chat = { id: 's', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };
const agUi = { threadId: 's', runId: 'r1', messages: [{ id: 'm1', role: 'user', content: 'Hello' }] };
const completion = { model: 'demo', messages: [{ role: 'user', content: 'Hello' }] };
const keyed = { headers: { 'idempotency-key': 'm1' } };
const keyedOpenAi = { headers: { 'idempotency-key': 'm1', 'x-session-id': 's' } };

const requests: [string, string, object, object?][] = [
  ['/run', '/run', message(), keyed],
  ['/run_sse', '/run_sse', message(), keyed],
  ['useChat', '/ui/demo/chat?userId=ann', chat],
  ['useChat with an unchanged messageId', '/ui/demo/chat?userId=ann', { ...chat, messageId: 'm1' }],
  ['AG-UI', '/ag-ui/demo', { ...agUi, forwardedProps: { userId: 'ann' } }],
  ['chat completions', '/v1/chat/completions', { ...completion, user: 'ann' }, keyedOpenAi],
  ['streamed chat completions', '/v1/chat/completions', { ...completion, user: 'ann', stream: true }, keyedOpenAi],
];
const cases = requests.flatMap(([name, path, body, init]) =>
  (['abort', 'continue'] as const).map((onDisconnect) => ({ name, path, body, init, onDisconnect })),
);

describe('A request that is sent again after its process has ended', () => {
  it.each(cases)('continues the invocation: $name, $onDisconnect', async ({ path, body, init, onDisconnect }) => {
    const sessionService = new InMemorySessionService();
    Object.defineProperty(sessionService, 'isDurable', { value: true });
    const called = Promise.withResolvers<AbortSignal>();
    const first = await demo({ sessionService, onDisconnect, answers: [neverAnswers(called)] });
    const pending = Promise.resolve(first.post(path, body, init)).then((response) => response.text());
    await called.promise;
    await first.handler.close({ timeoutMs: 0 });
    await pending;
    const [stored, ...others] = (await sessionService.getSession(session))!.events;
    expect(others).toEqual([]);
    const next = await demo({ sessionService, onDisconnect, answers: [says('Continued.')], isNext: true });
    const response = await next.post(path, body, init);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Continued.')]);
    const { events, marks } = (await sessionService.getSession(session))!;
    expect(events.map(({ invocationId }) => invocationId)).toEqual([stored!.invocationId, stored!.invocationId]);
    expect(marks).toMatchObject({ unfinished: null });
    // The answer is stored now, and no model is called again.
    expect(await (await next.post(path, body, init)).text()).toContain('Continued.');
  });
});

describe('A request of a paused invocation that is sent again', () => {
  it.each(['abort', 'continue'] as const)('returns the stored events and the pause: %s', async (onDisconnect) => {
    const { rootAgent } = bookingDesk(calls('book', { room: 7 }));
    const { run } = await demo({ rootAgent, onDisconnect });
    const send = async (): Promise<string[]> => (await allFrames(await run('/run_sse', {}, keyed))).map(describeFrame);
    const first = await send();
    expect(first.slice(-2)).toEqual([expect.stringContaining('adk_request_confirmation'), ': done']);
    expect(await send()).toEqual(first);
  });
});

describe('A request of a failed run that is sent again', () => {
  it.each([
    ['/run', message(), keyed],
    ['/v1/chat/completions', { ...completion, user: 'ann' }, keyedOpenAi],
  ])('is answered with the same error: %s', async (path, body, init) => {
    const { post, sessions } = await demo({ answers: [fails('MODEL_BLOCKED')], logger: silentLogger });
    const send = async (): Promise<unknown> => {
      const response = await post(path, body, init);
      return [response.status, await response.json()];
    };
    const first = await send();
    expect(first).toEqual([422, expect.anything()]);
    expect(await send()).toEqual(first);
    expect((await sessions.getSession(session))!.events).toHaveLength(2);
  });
});

describe('A request of an app without resumability that is sent again', () => {
  it('fails with INVOCATION_ENDED if its process has ended before the answer', async () => {
    const sessionService = new InMemorySessionService();
    const rootAgent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm() });
    const apps = [{ name: 'demo', rootAgent, resumability: { isResumable: false } }];
    const { run } = await demo({ sessionService, apps });
    const content = { role: 'user' as const, parts: [{ text: 'Hello' }] };
    const event = { id: 'm1', invocationId: 'i', author: 'user', content };
    await sessionService.appendEvent({ session, event: createEvent(event) });
    const response = await run('/run', {}, keyed);
    expect([response.status, await response.json()]).toMatchObject([409, { code: 'INVOCATION_ENDED' }]);
  });
});
