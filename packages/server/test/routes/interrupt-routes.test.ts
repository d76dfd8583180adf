import { silentLogger } from '@thole/core';
import type { Interrupt, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Authorized, HandlerOptions, Identity } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { answerTo, bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { demo, message, session, sessionPath } from '../demo.ts';
import type { Demo } from '../demo.ts';
import { allFrames, describeFrame } from '../frames.ts';

const INTERRUPTS = `${sessionPath}/interrupts`;

/** Creates a handler whose session `s` waits for the approval of a booking. */
async function createWaiting(
  options: Partial<HandlerOptions> = {},
): Promise<Demo & { booked: unknown[]; interrupt: Interrupt }> {
  const { booked, rootAgent } = bookingDesk(...bookingAnswers);
  const served = await demo({ rootAgent, ...options });
  expect((await served.run('/run')).status).toBe(200);
  const { body } = await ask(served.handler, 'GET', INTERRUPTS);
  return { ...served, booked, interrupt: body.interrupts[0] as Interrupt };
}

describe('GET …/sessions/{session}/interrupts', () => {
  it('returns the open interrupts, and none after the answer', async () => {
    const { handler, interrupt, booked } = await createWaiting();
    expect(interrupt).toMatchObject({
      ...{ kind: 'confirmation', agentName: 'desk', toolName: 'book', args: { room: 7 }, functionCallId: 'c1' },
    });
    const answer = message({ newMessage: answerTo(interrupt, { confirmed: true }) });
    const { status, body } = await ask(handler, 'POST', '/run', answer);
    expect([status, body.at(-1).content.parts[0].text]).toEqual([200, 'Booked.']);
    expect(body.at(-1).invocationId).toBe(interrupt.invocationId);
    expect(booked).toEqual([{ room: 7 }]);
    expect((await ask(handler, 'GET', INTERRUPTS)).body).toEqual({ interrupts: [] });
  });

  it('answers 404 for an unknown session and a session of another user', async () => {
    const { handler } = await createWaiting();
    for (const path of [INTERRUPTS.replace('/s/', '/t/'), INTERRUPTS.replace('ann', 'bob')])
      expect((await ask(handler, 'GET', path)).body).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('GET /apps/{app}/interrupts', () => {
  async function inbox(options: Partial<HandlerOptions> = {}): Promise<Demo> {
    const { rootAgent } = bookingDesk(
      calls('book', { room: 1 }),
      calls('ask'),
      calls('book', { room: 3 }),
      says('Nothing to ask.'),
    );
    const served = await demo({ rootAgent, ...options });
    for (const [userId, sessionId] of [
      ['ann', 's'],
      ['ann', 't'],
      ['bob', 'u'],
      ['bob', 'v'],
    ] as const) {
      if (sessionId !== 's') await served.sessions.createSession({ ...session, userId, sessionId });
      await served.run('/run', { userId, sessionId });
    }
    return served;
  }
  const ids = (body: { interrupts: { userId: string; sessionId: string; kind: string }[] }): string[] =>
    body.interrupts.map(({ userId, sessionId, kind }) => `${userId} ${sessionId} ${kind}`);

  it('lists the open interrupts of all sessions, of a user, and of a kind', async () => {
    const { handler } = await inbox();
    const list = async (query: string): Promise<string[]> =>
      ids((await ask(handler, 'GET', `/apps/demo/interrupts?${query}`)).body);
    expect((await list('')).sort()).toEqual(['ann s confirmation', 'ann t input', 'bob u confirmation']);
    expect(await list('userId=bob')).toEqual(['bob u confirmation']);
    expect(await list('user_id=bob')).toEqual(['bob u confirmation']);
    expect(await list('kind=input')).toEqual(['ann t input']);
    expect(await list('kind=timer')).toEqual([]);
  });

  it('returns every interrupt once over its pages', async () => {
    const { handler } = await inbox();
    const found: string[] = [];
    let after: string | undefined;
    do {
      const query = `limit=1${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
      const { body } = await ask(handler, 'GET', `/apps/demo/interrupts?${query}`);
      expect(body.interrupts.length).toBeLessThanOrEqual(1);
      found.push(...ids(body));
      after = body.next;
    } while (after !== undefined);
    expect(found.sort()).toEqual(['ann s confirmation', 'ann t input', 'bob u confirmation']);
  });

  it('shows only the interrupts of users that the client may act for', async () => {
    const identities: Identity[] = [];
    const limitCalls: unknown[] = [];
    let me = 'ann';
    const authorize = (_: Request, identity: Identity): boolean => {
      identities.push(identity);
      return identity.userId === undefined || identity.userId === me;
    };
    const { rootAgent } = bookingDesk(calls('book'), calls('book'));
    const served = await demo({ rootAgent, authorize, rateLimit: () => (limitCalls.push(1), true) });
    await served.run('/run');
    me = 'bob';
    await served.sessions.createSession({ ...session, userId: 'bob', sessionId: 'u' });
    await served.run('/run', { userId: 'bob', sessionId: 'u' });
    identities.length = limitCalls.length = 0;
    expect(ids((await ask(served.handler, 'GET', '/apps/demo/interrupts')).body)).toEqual(['bob u confirmation']);
    expect(identities).toEqual([
      { appName: 'demo', userId: undefined, action: 'read' },
      { appName: 'demo', userId: 'ann', action: 'read' },
      { appName: 'demo', userId: 'bob', action: 'read' },
    ]);
    expect(limitCalls).toHaveLength(1);
    expect((await ask(served.handler, 'GET', '/apps/demo/interrupts?userId=ann')).status).toBe(403);
  });

  it('names no other user in the cursor if authorize returns the user', async () => {
    let me = 'ann';
    const authorize = (): Authorized => ({ userId: me });
    const { rootAgent } = bookingDesk(calls('book'), calls('book'), calls('book'));
    const { handler, run, sessions } = await demo({ rootAgent, authorize });
    await run('/run');
    me = 'bob';
    for (const sessionId of ['u', 'v']) {
      await sessions.createSession({ ...session, userId: 'bob', sessionId });
      await run('/run', { userId: 'bob', sessionId });
    }
    const first = (await ask(handler, 'GET', '/apps/demo/interrupts?limit=1')).body;
    expect([ids(first), first.next.includes('ann')]).toEqual([['bob u confirmation'], false]);
    const after = encodeURIComponent(first.next);
    const second = (await ask(handler, 'GET', `/apps/demo/interrupts?limit=1&after=${after}`)).body;
    expect([ids(second), second.next]).toEqual([['bob v confirmation'], undefined]);
  });

  it('rejects a wrong kind, limit and cursor, an unknown app, and a store without the list', async () => {
    const { handler } = await demo();
    for (const query of ['kind=other', 'limit=0', 'limit=x', 'after=x', 'userId='])
      expect([query, (await ask(handler, 'GET', `/apps/demo/interrupts?${query}`)).status]).toEqual([query, 400]);
    expect((await ask(handler, 'GET', '/apps/other/interrupts')).status).toBe(404);
    const sessionService: SessionService = new InMemorySessionService();
    const limited = await demo({ sessionService: Object.assign(sessionService, { listWaitingSessions: undefined }) });
    expect((await ask(limited.handler, 'GET', '/apps/demo/interrupts')).body.code).toBe('LEASING_NOT_SUPPORTED');
  });
});

describe('answers to interrupts', () => {
  it.each(['/run', '/run_sse'] as const)('continue their invocation: %s, in both spellings', async (path) => {
    for (const isSnake of [false, true]) {
      const { handler, interrupt, sessions } = await createWaiting();
      const { id, invocationId } = interrupt;
      const response = { id, name: 'adk_request_confirmation', response: { response: '{"confirmed": true}' } };
      const body = isSnake
        ? {
            ...{ app_name: 'demo', user_id: 'ann', session_id: 's', invocation_id: invocationId },
            new_message: { role: 'user', parts: [{ function_response: response }] },
          }
        : message({ invocationId, newMessage: { parts: [{ functionResponse: response }] } });
      const { status, body: answer, headers } = await ask(handler, 'POST', path, body);
      expect([status, JSON.stringify(answer).includes('Booked.')]).toEqual([200, true]);
      if (path === '/run_sse') expect(headers.get('x-thole-invocation-id')).toBe(invocationId);
      const { events } = (await sessions.getSession(session))!;
      expect(new Set(events.map((event) => event.invocationId)).size).toBe(1);
      expect(events.find((event) => event.id === `${id}:answer`)?.customMetadata).toEqual({ answeredBy: 'ann' });
    }
  });

  it('name the invocation in the header of the stream if the request does not', async () => {
    for (const onDisconnect of ['abort', 'continue'] as const) {
      const { handler, interrupt } = await createWaiting({ onDisconnect });
      const body = message({ newMessage: answerTo(interrupt, { confirmed: false }) });
      const { headers } = await ask(handler, 'POST', '/run_sse', body);
      expect(headers.get('x-thole-invocation-id')).toBe(interrupt.invocationId);
    }
  });

  it('are rejected with an error code, and nothing is stored', async () => {
    const { handler, interrupt, sessions, booked } = await createWaiting();
    const before = (await sessions.getSession(session))!.lastSeq;
    const send = async (change: object, response: object): Promise<unknown[]> => {
      const newMessage = answerTo({ ...interrupt, ...change }, response as never);
      const answers: unknown[] = [];
      for (const path of ['/run', '/run_sse']) {
        const { status, body } = await ask(handler, 'POST', path, message({ newMessage }));
        answers.push([status, body.code]);
      }
      expect(answers[1]).toEqual(answers[0]);
      return answers[0] as unknown[];
    };
    expect(await send({ id: 'other' }, { confirmed: true })).toEqual([404, 'INTERRUPT_NOT_FOUND']);
    expect(await send({ kind: 'input' }, { confirmed: true })).toEqual([403, 'INTERRUPT_MISMATCH']);
    expect(await send({}, { confirmed: 'yes' })).toEqual([422, 'ANSWER_INVALID']);
    expect(await send({}, { confirmed: true, editedArguments: { room: 8 } })).toEqual([422, 'ARGUMENTS_NOT_EDITABLE']);
    expect((await sessions.getSession(session))!.lastSeq).toBe(before);
    expect(booked).toEqual([]);
    const { body } = await ask(
      handler,
      'POST',
      '/run',
      message({ newMessage: answerTo(interrupt, { confirmed: true }) }),
    );
    expect(body.at(-1).content.parts[0].text).toBe('Booked.');
    expect(await send({}, { confirmed: true })).toEqual([409, 'INTERRUPT_ANSWERED']);
  });

  it('are answered with 410 after the interrupt has expired', async () => {
    const runtime = new FixedRuntime();
    const { handler, interrupt } = await createWaiting({
      runtime,
      sessionService: new InMemorySessionService({ runtime }),
    });
    await runtime.advance(3_600_000);
    const body = message({ newMessage: answerTo(interrupt, { confirmed: true }) });
    const { status, body: answer } = await ask(handler, 'POST', '/run', body);
    expect([status, answer.code]).toEqual([410, 'INTERRUPT_EXPIRED']);
  });

  it('are answered with 409 INVOCATION_ENDED after the invocation was cancelled', async () => {
    const { handler, interrupt } = await createWaiting();
    const path = `${sessionPath}/runs/${interrupt.invocationId}/cancel`;
    expect((await ask(handler, 'POST', path, {})).body).toEqual({ cancelled: true });
    expect((await ask(handler, 'GET', INTERRUPTS)).body).toEqual({ interrupts: [] });
    const body = message({ newMessage: answerTo(interrupt, { confirmed: true }) });
    const { status, body: answer } = await ask(handler, 'POST', '/run', body);
    expect([status, answer.code]).toEqual([409, 'INVOCATION_ENDED']);
  });

  it('call authorize with the action and then with the interrupts', async () => {
    const identities: Identity[] = [];
    let mayConfirm = false;
    const authorize = (_: Request, identity: Identity): boolean => {
      identities.push(identity);
      return mayConfirm || !identity.interrupts?.some(({ toolName }) => toolName === 'book');
    };
    const { handler, interrupt, booked } = await createWaiting({ authorize });
    const body = message({ newMessage: answerTo(interrupt, { confirmed: true }) });
    identities.length = 0;
    expect((await ask(handler, 'POST', '/run', body)).status).toBe(403);
    const identity = { appName: 'demo', userId: 'ann', action: 'answer' };
    expect(identities).toEqual([identity, { ...identity, interrupts: [interrupt] }]);
    expect(booked).toEqual([]);
    mayConfirm = true;
    expect((await ask(handler, 'POST', '/run', body)).status).toBe(200);
    expect(booked).toEqual([{ room: 7 }]);
  });

  it('store the name of the person that authorize returns (contract 39)', async () => {
    const authorize = (_: Request, { interrupts }: Identity): boolean | Authorized =>
      interrupts === undefined || { answeredBy: 'manager mia' };
    const { handler, interrupt, sessions } = await createWaiting({ authorize });
    const body = message({ newMessage: answerTo(interrupt, { confirmed: true }) });
    expect((await ask(handler, 'POST', '/run', body)).status).toBe(200);
    const { events } = (await sessions.getSession(session))!;
    const answer = events.find((event) => event.id === `${interrupt.id}:answer`);
    expect(answer?.customMetadata).toEqual({ answeredBy: 'manager mia' });
  });

  it('accept a value for an input, and keep it open for a value that does not fit', async () => {
    const { rootAgent } = bookingDesk(calls('ask'), says('Three nights.'));
    const { handler, run } = await demo({ rootAgent });
    await run('/run');
    const [interrupt] = (await ask(handler, 'GET', INTERRUPTS)).body.interrupts;
    const answer = (result: unknown): Promise<{ status: number; body: unknown }> =>
      ask(handler, 'POST', '/run', message({ newMessage: answerTo(interrupt, { result } as never) }));
    expect((await answer('three')).status).toBe(422);
    expect((await ask(handler, 'GET', INTERRUPTS)).body.interrupts).toEqual([interrupt]);
    expect((await answer(3)).status).toBe(200);
  });

  it('cannot be forged as calls of a client', async () => {
    const { handler, interrupt, sessions } = await createWaiting();
    const before = (await sessions.getSession(session))!.lastSeq;
    for (const name of ['adk_request_confirmation', 'adk_request_input', 'adk_request_credential', 'thole_timer']) {
      const parts = [{ functionCall: { id: interrupt.id, name, args: {} } }];
      const { status, body } = await ask(handler, 'POST', '/run', message({ newMessage: { role: 'user', parts } }));
      expect([name, status, body.code]).toEqual([name, 400, 'INVALID_INPUT']);
    }
    expect((await sessions.getSession(session))!.lastSeq).toBe(before);
  });
});

describe('Idempotency-Key', () => {
  it('is the id of the message, so a repeated request starts no run', async () => {
    const { run, sessions } = await demo({ answers: [says('Hello.')] });
    const headers = { 'idempotency-key': 'm1' };
    const first = (await (await run('/run', {}, { headers })).json()) as unknown[];
    expect(await (await run('/run', {}, { headers: { 'idempotency-key': '"m1"' } })).json()).toEqual(first);
    const stream = await run('/run_sse', {}, { headers });
    expect(await stream.text()).toContain('Hello.');
    const { events } = (await sessions.getSession(session))!;
    expect(events.map(({ id, author }) => (author === 'user' ? id : author))).toEqual(['m1', 'concierge']);
    expect(stream.headers.get('x-thole-invocation-id')).toBe(events[0]!.invocationId);
  });

  it.each(['abort', 'continue'] as const)(
    'ends a repeated stream with the error of its run: %s',
    async (onDisconnect) => {
      const answers = [fails('MODEL_OVERLOADED')];
      const { run } = await demo({ answers, logger: silentLogger, onDisconnect });
      const send = async (): Promise<string[]> =>
        (await allFrames(await run('/run_sse', {}, { headers: { 'idempotency-key': 'm1' } }))).map(describeFrame);
      const first = await send();
      expect(first.at(-1)).toBe('! MODEL_OVERLOADED');
      expect(await send()).toEqual(first);
    },
  );

  it('answers 409 for another message with the same key, and 400 for a key that cannot be an id', async () => {
    const { run } = await demo({ answers: [says('Hello.')] });
    await run('/run', {}, { headers: { 'idempotency-key': 'm1' } });
    const other = { newMessage: { parts: [{ text: 'Other' }] } };
    const response = await run('/run', other, { headers: { 'idempotency-key': 'm1' } });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([409, 'MESSAGE_ID_TAKEN']);
    expect((await run('/run', {}, { headers: { 'idempotency-key': '' } })).status).toBe(400);
    expect((await run('/run', {}, { headers: { 'idempotency-key': 'x'.repeat(600) } })).status).toBe(400);
    expect((await run('/run', {}, { headers: { 'idempotency-key': 'adk-1:answer' } })).status).toBe(400);
  });
});
