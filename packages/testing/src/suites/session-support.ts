import assert from 'node:assert/strict';
import { createEvent, TholeError } from '@thole/core';
import type { Event, EventInit, Session, SessionRef, SessionService, StateDelta, TholeErrorCode } from '@thole/core';
import type { Case } from '../case.ts';

export type SessionCase = Case<SessionService>;

/** Returns the key of the session that most cases use. */
export function refTo(sessionId = 's', userId = 'u', appName = 'app'): SessionRef {
  return { appName, userId, sessionId };
}

/** Creates a session and returns its key. */
export async function createSession(
  service: SessionService,
  ref: SessionRef = refTo(),
  state: StateDelta = {},
): Promise<SessionRef> {
  await service.createSession({ ...ref, state });
  return ref;
}

/** Returns an event of an agent whose text is its id. */
export function eventOf(id: string, init: Partial<EventInit> = {}): Event {
  return createEvent({
    id,
    invocationId: 'invocation',
    author: 'agent',
    timestamp: 1_700_000_000,
    content: { role: 'model', parts: [{ text: id }] },
    ...init,
  });
}

/** Returns an event that writes state. */
export function stateEvent(id: string, stateDelta: StateDelta, init: Partial<EventInit> = {}): Event {
  return eventOf(id, { ...init, actions: { stateDelta } });
}

/** Appends the events in order and returns the stored events. */
export async function append(
  service: SessionService,
  session: Session | SessionRef,
  ...events: Event[]
): Promise<Event[]> {
  const stored: Event[] = [];
  for (const event of events) stored.push(await service.appendEvent({ session, event }));
  return stored;
}

/** Returns the session, which must exist. */
export async function read(service: SessionService, ref: SessionRef = refTo()): Promise<Session> {
  const session = await service.getSession(ref);
  assert.ok(session, `session ${ref.sessionId} does not exist`);
  return session;
}

export async function stateOf(service: SessionService, ref: SessionRef = refTo()): Promise<Session['state']> {
  return (await read(service, ref)).state;
}

export function idsOf(events: readonly Event[]): string[] {
  return events.map((event) => event.id);
}

/** Returns 1 to `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Asserts that the promise is rejected with this code, and returns the error. */
export async function rejectsWith(code: TholeErrorCode, call: Promise<unknown>, label?: string): Promise<TholeError> {
  const at = label === undefined ? '' : `${label}: `;
  try {
    await call;
  } catch (error) {
    if (TholeError.is(error, code)) return error;
    throw new assert.AssertionError({
      message: `${at}expected ${code}, got ${String(error)}`,
      actual: error,
      expected: code,
    });
  }
  throw new assert.AssertionError({ message: `${at}expected ${code}, but the call succeeded`, expected: code });
}

/** Asserts deep equality, including the order of array members. */
export function same(actual: unknown, expected: unknown, message?: string): void {
  if (message === undefined) assert.deepStrictEqual(actual, expected);
  else assert.deepStrictEqual(actual, expected, message);
}

/** JSON values, including unusual ones. */
export const jsonValues: StateDelta = {
  text: 'a',
  empty: '',
  quotes: `'"\\ \`\${x} {{y}} %s`,
  newline: 'a\r\nb\u2028c',
  nul: 'a\0b',
  loneSurrogate: 'a\ud800b',
  unicode: 'naïve 日本語 🙂 𝒳 e\u0301',
  zero: 0,
  negative: -1.5,
  tiny: 5e-324,
  large: Number.MAX_SAFE_INTEGER,
  huge: 1.7976931348623157e308,
  fraction: 0.1,
  yes: true,
  no: false,
  list: [1, 'two', null, [], {}, [[3]]],
  emptyList: [],
  emptyObject: {},
  nested: { a: { b: [{ c: null }] } },
  looksLikeDate: '2024-01-01T00:00:00Z',
  looksLikeNumber: '1e3',
};

/** Returns values that are not JSON, each with a name for messages. */
export function notJson(): [kind: string, value: unknown][] {
  const cycle: { [key: string]: unknown } = {};
  cycle['again'] = { cycle };
  const holes: unknown[] = [];
  holes[1] = 1;
  let deep: unknown = 'bottom';
  for (let i = 0; i < 101; i++) deep = [deep];
  return [
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 1n],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['an instance of a class', new (class Money {})()],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['undefined in an array', [1, undefined]],
    ['a hole in an array', holes],
    ['a cycle', cycle],
    ['101 levels', deep],
    ['a function deep inside', { a: [{ b: () => 1 }] }],
    ['bytes', new Uint8Array(2)],
    ['a promise', Promise.resolve(1)],
  ];
}

export function isDeeplyFrozen(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen))
  );
}
