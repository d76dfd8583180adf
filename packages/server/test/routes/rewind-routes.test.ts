import { getFunctionCalls } from '@thole/core';
import type { Event } from '@thole/core';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { HandlerOptions, Identity } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { demo, message, sessionPath } from '../demo.ts';
import type { Demo } from '../demo.ts';

const textsOf = (events: Event[]): string[] =>
  events.flatMap((event) => (event.content?.parts ?? []).map(({ text }) => text ?? ''));

/** A session with two invocations. */
async function twoTurns(options: Partial<HandlerOptions> = {}): Promise<Demo & { ids: string[] }> {
  const served = await demo({ answers: [says('One.'), says('Two.'), says('Three.')], ...options });
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) ids.push((await ask(served.handler, 'POST', '/run', message())).body[0].invocationId);
  return { ...served, ids };
}

describe('POST …/sessions/{session}/rewind', () => {
  it.each(['rewindBeforeInvocationId', 'rewind_before_invocation_id'])(
    'rewinds and returns the session: %s',
    async (member) => {
      const { handler, ids } = await twoTurns();
      const { status, body } = await ask(handler, 'POST', `${sessionPath}/rewind`, { [member]: ids[1] });
      expect([status, body.id, body.events.at(-1).actions.rewindBeforeInvocationId]).toEqual([200, 's', ids[1]]);
      const again = await ask(handler, 'POST', `${sessionPath}/rewind`, { [member]: ids[1] });
      expect([again.status, again.body.code]).toEqual([404, 'INVOCATION_NOT_FOUND']);
    },
  );

  it('rejects a body without an invocation, and an unknown session', async () => {
    const { handler, ids } = await twoTurns();
    expect((await ask(handler, 'POST', `${sessionPath}/rewind`, {})).status).toBe(400);
    const unknown = await ask(handler, 'POST', `${sessionPath}x/rewind`, { rewindBeforeInvocationId: ids[0] });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'SESSION_NOT_FOUND']);
  });
});

describe('POST …/sessions/{session}/fork', () => {
  it('returns a copy of the events before an invocation', async () => {
    const { handler, ids } = await twoTurns();
    const p = { beforeInvocationId: ids[1], newSessionId: 'copy' };
    const { status, body } = await ask(handler, 'POST', `${sessionPath}/fork`, p);
    expect([status, body.id, textsOf(body.events)]).toEqual([200, 'copy', ['Hello', 'One.']]);
    expect(body.forkedFrom).toMatchObject({ sessionId: 's', copiedEvents: 2 });
    const taken = await ask(handler, 'POST', `${sessionPath}/fork`, p);
    expect([taken.status, taken.body.code]).toEqual([409, 'SESSION_ALREADY_EXISTS']);
  });

  it('copies the whole session without a body', async () => {
    const { handler } = await twoTurns();
    const { body } = await ask(handler, 'POST', `${sessionPath}/fork`);
    expect(textsOf(body.events)).toEqual(['Hello', 'One.', 'Hello', 'Two.']);
  });
});

describe('POST /run with regenerateInvocationId', () => {
  it('answers the message of the invocation again', async () => {
    const identities: Identity[] = [];
    const { handler, ids, sessions } = await twoTurns({
      authorize: (_, identity) => (identities.push(identity), true),
    });
    const { newMessage: _, ...rest } = message({ regenerateInvocationId: ids[1] }) as { newMessage: unknown };
    const { status, body } = await ask(handler, 'POST', '/run', rest);
    expect([status, textsOf(body)]).toEqual([200, ['Three.']]);
    expect(identities.slice(-2).map(({ action }) => action)).toEqual(['rewind', 'run']);
    const { events } = (await sessions.getSession({ appName: 'demo', userId: 'ann', sessionId: 's' }))!;
    expect(events.slice(-3)[0]!.actions.rewindBeforeInvocationId).toBe(ids[1]);
  });

  it('rejects it together with invocationId', async () => {
    const { handler, ids } = await twoTurns();
    const p = message({ regenerateInvocationId: ids[1], invocationId: ids[1] });
    expect((await ask(handler, 'POST', '/run', p)).status).toBe(400);
  });
});

describe('POST …/sessions/{session}/invocations/{invocation}/cancel', () => {
  it('ends a paused invocation', async () => {
    const { rootAgent } = bookingDesk(...bookingAnswers);
    const { handler } = await demo({ rootAgent });
    const { body } = await ask(handler, 'POST', '/run', message());
    expect(getFunctionCalls(body.at(-1))).toHaveLength(1);
    const path = `${sessionPath}/invocations/${body[0].invocationId}/cancel`;
    expect((await ask(handler, 'POST', path)).body).toEqual({ cancelled: true });
    expect((await ask(handler, 'GET', `${sessionPath}/interrupts`)).body).toEqual({ interrupts: [] });
  });
});
