import { createEvent } from '@thole/core';
import type { Event, Session, SessionMarks, StateMap, TextCodec } from '@thole/core';
import type { DatabaseSessionService, DatabaseSessionServiceOptions } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { expect, it } from 'vitest';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const idle: SessionMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };
const request = {
  invocationId: 'i1',
  holder: 'r',
  policy: 'reject',
  waitMs: 0,
  maxWaiting: 0,
  ttlMs: 600_000,
  cleanupMs: 0,
} as const;

type EventParts = Parameters<typeof createEvent>[0];
const eventOf = (id: string, invocationId = 'a', more: Partial<EventParts> = {}): Event =>
  createEvent({ id, invocationId, author: 'agent', timestamp: 1, ...more });
const writes = (id: string, stateDelta: object, invocationId = 'a'): Event =>
  eventOf(id, invocationId, { actions: { stateDelta } as never });
const calls = (id: string, invocationId: string): Event =>
  eventOf(id, invocationId, {
    content: { role: 'model', parts: [{ functionCall: { id: `${id}-c`, name: 't', args: {} } }] },
  });
const answers = (id: string, callId: string, invocationId: string): Event => {
  const parts = [{ functionResponse: { id: callId, name: 't', response: {} } }];
  return eventOf(id, invocationId, { content: { role: 'user', parts } });
};
const seqsOf = ({ events }: Session): (number | undefined)[] => events.map(({ seq }) => seq);

/** Registers the tests of sessions that wait: they do not expire, and they keep the events that they need. */
export function waitingSessionTests(open: (options: DatabaseSessionServiceOptions) => DatabaseSessionService): void {
  const createFilledSession = async (
    service: DatabaseSessionService,
    events: readonly Event[],
    state: StateMap = {},
  ): Promise<void> => {
    await service.createSession({ ...ref, state });
    for (const event of events) await service.appendEvent({ session: ref, event });
  };
  const read = async (service: DatabaseSessionService): Promise<Session> => (await service.getSession(ref))!;
  const mark = (service: DatabaseSessionService, id: string, marks: Partial<SessionMarks>): Promise<Event> =>
    service.appendEvent({ session: ref, event: eventOf(id), marks });

  it.each([{ unfinished: 'i1' }, { wakeAt: 1 }, { openInterrupts: 1 }])(
    'does not expire with the mark %j, and expires after the mark is cleared (contract 14)',
    async (marks) => {
      const runtime = new FixedRuntime({ now: Date.now() / 1000 });
      const service = open({ runtime, sessionTtlMs: 60_000 });
      await createFilledSession(service, []);
      await mark(service, 'e1', marks);
      await runtime.advance(100_000);
      // An append without marks keeps the marks of the session.
      await service.appendEvent({ session: ref, event: eventOf('e2') });
      await runtime.advance(100_000);
      expect([await service.deleteExpiredSessions(), (await read(service)).lastSeq]).toEqual([0, 2]);
      await mark(service, 'e3', idle);
      await runtime.advance(50_000);
      expect((await read(service)).lastSeq).toBe(3);
      await runtime.advance(11_000);
      expect([await service.getSession(ref), await service.deleteExpiredSessions()]).toEqual([undefined, 1]);
    },
  );

  it('does not expire until its last mark is cleared (contract 14)', async () => {
    const runtime = new FixedRuntime({ now: Date.now() / 1000 });
    const service = open({ runtime, sessionTtlMs: 60_000 });
    await createFilledSession(service, []);
    await mark(service, 'e1', { unfinished: 'i1', wakeAt: 1, openInterrupts: 1 });
    for (const cleared of [{ unfinished: null }, { wakeAt: null }] as const) {
      await mark(service, `e ${JSON.stringify(cleared)}`, cleared);
      await runtime.advance(70_000);
      expect((await read(service)).id).toBe('s');
    }
    await mark(service, 'last', { openInterrupts: 0 });
    await runtime.advance(61_000);
    expect(await service.getSession(ref)).toBeUndefined();
  });

  it('starts and ends its protection with the marks of a release (contract 14)', async () => {
    const runtime = new FixedRuntime({ now: Date.now() / 1000 });
    const service = open({ runtime, sessionTtlMs: 60_000 });
    await createFilledSession(service, []);
    await (await service.leasing!.lease(ref, request)).release({ marks: { openInterrupts: 1 } });
    await runtime.advance(100_000);
    expect((await read(service)).id).toBe('s');
    await (await service.leasing!.lease(ref, request)).release({ marks: { openInterrupts: 0 } });
    await runtime.advance(50_000);
    expect((await read(service)).id).toBe('s');
    await runtime.advance(11_000);
    expect(await service.getSession(ref)).toBeUndefined();
  });

  it('keeps the events since the start of an invocation with an open call (contract 8)', async () => {
    const service = open({});
    await createFilledSession(service, [eventOf('e1'), eventOf('e2', 'b'), calls('e3', 'b'), eventOf('e4', 'c')]);
    await mark(service, 'e5', { openInterrupts: 1 });
    expect([await service.pruneEvents({ keepLast: 0 }), seqsOf(await read(service))]).toEqual([1, [2, 3, 4, 5]]);
    await service.appendEvent({ session: ref, event: answers('e6', 'e3-c', 'b') });
    expect([await service.pruneEvents({ keepLast: 1 }), seqsOf(await read(service))]).toEqual([4, [6]]);
  });

  it('keeps the events of the unfinished invocation until it has ended (contract 8)', async () => {
    const service = open({});
    await createFilledSession(service, [eventOf('e1', 'b'), eventOf('e2', 'i1')]);
    await mark(service, 'e3', { unfinished: 'i1' });
    expect([await service.pruneEvents({ olderThan: 9 }), seqsOf(await read(service))]).toEqual([1, [2, 3]]);
    await mark(service, 'e4', { unfinished: null });
    expect([await service.pruneEvents({ olderThan: 9 }), seqsOf(await read(service))]).toEqual([3, []]);
  });

  const reversingCodec: TextCodec = {
    encode: (text) => new Uint8Array(Buffer.from(text).reverse()),
    decode: (stored) =>
      Buffer.from(stored as Uint8Array)
        .reverse()
        .toString(),
  };

  it.each([
    ['', undefined],
    [' with a codec', reversingCodec],
  ])('adds the changes of deleted events to the initial state%s (contract 8)', async (_, codec) => {
    const service = open({ codec });
    const events = [
      writes('e1', { a: 2, b: 1, 'user:x': 1 }),
      writes('e2', { b: null, 'k é.': [1] }),
      writes('e3', { a: 3, c: null }),
    ];
    await createFilledSession(service, events, { a: 1, c: 1, 'app:y': 1 });
    const initial = async (): Promise<StateMap | undefined> => (await read(service)).initialState;
    expect([await service.pruneEvents({ keepLast: 2 }), await initial()]).toEqual([1, { a: 2, b: 1, c: 1 }]);
    expect([await service.pruneEvents({ keepLast: 1 }), await initial()]).toEqual([1, { a: 2, c: 1, 'k é.': [1] }]);
    expect([await service.pruneEvents({ keepLast: 0 }), await initial()]).toEqual([1, { a: 3, 'k é.': [1] }]);
    expect((await read(service)).state).toEqual({ a: 3, 'k é.': [1], 'app:y': 1, 'user:x': 1 });
  });

  it('selects the events again if the marks change between reading and deleting (contract 8)', async () => {
    let hook: (() => Promise<unknown>) | undefined;
    const codec: TextCodec = {
      encode: reversingCodec.encode,
      async decode(stored) {
        const [run] = [hook, (hook = undefined)];
        await run?.();
        return reversingCodec.decode(stored);
      },
    };
    const service = open({ codec });
    await createFilledSession(service, [eventOf('e1'), eventOf('e2', 'i1'), eventOf('e3', 'i1')]);
    hook = () => mark(service, 'e4', { unfinished: 'i1' });
    expect([await service.pruneEvents({ keepLast: 0 }), seqsOf(await read(service))]).toEqual([1, [2, 3, 4]]);
  });

  it('adds each change once if two calls prune at the same time (contract 8)', async () => {
    const service = open({});
    const events = Array.from({ length: 30 }, (_, i) => writes(`e${i}`, { [`k${i}`]: i, last: i }));
    await createFilledSession(service, events);
    const counts = await Promise.all([5, 10, 5, 20].map((keepLast) => service.pruneEvents({ keepLast })));
    expect(counts.reduce((sum, count) => sum + count)).toBe(25);
    const { initialState } = await read(service);
    expect(initialState).toEqual(Object.assign({}, ...events.slice(0, 25).map(({ actions }) => actions.stateDelta)));
  });

  it('returns the origin of a copy in getSession and listSessions', async () => {
    const service = open({});
    const forkedFrom = { sessionId: 'o"é', incarnation: 'first', copiedEvents: 1 };
    await service.insertSession({ ...ref, events: [writes('e1', { a: 2 })], initialState: { a: 1 }, forkedFrom });
    const { events, initialState, state, ...session } = await read(service);
    expect([session.forkedFrom, initialState, state, events.length]).toEqual([forkedFrom, { a: 1 }, { a: 2 }, 1]);
    expect((await service.listSessions({ appName: 'app' })).sessions[0]!.forkedFrom).toEqual(forkedFrom);
    await service.createSession({ ...ref, sessionId: 'other' });
    expect(await service.getSession({ ...ref, sessionId: 'other' })).not.toHaveProperty('forkedFrom');
  });
}
