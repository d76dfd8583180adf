import assert from 'node:assert/strict';
import { createEvent } from '@thole/core';
import type {
  AppendOptions,
  Event,
  LeaseAnswer,
  LeaseAsk,
  LeaseManager,
  LeaseStore,
  SessionMarks,
  SessionRef,
  SessionStore,
  StoredSession,
} from '@thole/core';
import type { Case } from '../case.ts';
import { refTo } from './session-support.ts';

export type SessionStoreCase = Case<SessionStore>;

/** A refused ask: `waiting` or `busy`. */
export type Refused = Extract<LeaseAnswer, { waiting: number }>;

/** Returns the lease store of a session store: that of its `StoredLeaseManager`. */
export function leasesOf(store: SessionStore): LeaseStore {
  const { leasing } = store.abilities as { leasing?: LeaseManager & { store?: LeaseStore } };
  assert.ok(leasing?.store, 'abilities.leasing must be a StoredLeaseManager');
  return leasing.store;
}

/** Returns one ask of the run with this fence. Its invocation is named after the fence. */
export function askOf(fence: string, more: Partial<LeaseAsk> = {}): LeaseAsk {
  return {
    fence,
    isFirst: true,
    invocationId: `invocation of ${fence}`,
    holder: 'runner-1',
    process: undefined,
    policy: 'queue',
    maxWaiting: 16,
    ttlMs: 30_000,
    cleanupMs: 5_000,
    deadFence: undefined,
    ...more,
  };
}

/** Asks for the session and returns the kind of the answer. */
export async function kindOf(leases: LeaseStore, ask: LeaseAsk, key: SessionRef = refTo()): Promise<string> {
  return (await leases.ask(key, ask)).kind;
}

/** Asks for the session, which must be granted. */
export async function granted(
  leases: LeaseStore,
  ask: LeaseAsk,
  key: SessionRef = refTo(),
): Promise<LeaseAnswer & { kind: 'granted' }> {
  const answer = await leases.ask(key, ask);
  assert.ok(answer.kind === 'granted', `granted was expected, the answer is ${answer.kind}`);
  return answer;
}

/** Asks for the session, which must be answered with this kind. */
export async function notGranted(
  leases: LeaseStore,
  kind: Refused['kind'],
  ask: LeaseAsk,
  key: SessionRef = refTo(),
): Promise<Refused> {
  const answer = await leases.ask(key, ask);
  assert.ok(answer.kind === kind, `${kind} was expected, the answer is ${answer.kind}`);
  return answer as Refused;
}

/** Returns the fence of each lease that `poll` still finds. */
export async function heldFences(leases: LeaseStore, ...fences: string[]): Promise<string[]> {
  const states = await leases.poll(fences.map((fence) => ({ key: refTo(), fence })));
  assert.equal(states.length, fences.length, 'poll returns one state per lease');
  return fences.filter((_, i) => states[i] !== undefined);
}

/** Asserts that a duration is `expected`, or at most 400 ms less. */
export function isAbout(actual: number | undefined, expected: number): void {
  assert.ok(
    actual !== undefined && actual <= expected + 1 && actual >= expected - 400,
    `${expected} ms were expected, the value is ${actual}`,
  );
}

/** Inserts a session without events into the store. */
export async function inserted(
  store: SessionStore,
  key: SessionRef = refTo(),
  more: Partial<StoredSession> = {},
): Promise<StoredSession> {
  const session: StoredSession = {
    key,
    incarnation: `incarnation of ${key.sessionId}`,
    initialState: {},
    state: {},
    appState: {},
    userState: {},
    appVersion: 0,
    userVersion: 0,
    events: [],
    createTime: 1_700_000_000,
    lastUpdateTime: 1_700_000_000,
    lastSeq: 0,
    marks: { unfinished: null, wakeAt: null, openInterrupts: 0 },
    v: 1,
    ...more,
  };
  await store.insert(session);
  return session;
}

/** Returns the session, which must exist. */
export async function loaded(store: SessionStore, key: SessionRef = refTo()): Promise<StoredSession> {
  const session = await store.load(key, {});
  assert.ok(session, `session ${key.sessionId} does not exist`);
  return session;
}

export async function marksOf(store: SessionStore, key: SessionRef = refTo()): Promise<SessionMarks> {
  return (await loaded(store, key)).marks;
}

/** Appends an event as `StoredSessionService` does: a frozen copy without `seq`, whose delta is the session's. */
export function appendTo(
  store: SessionStore,
  id: string,
  options?: AppendOptions,
  key: SessionRef = refTo(),
): Promise<{ event: Event; duplicate: boolean }> {
  const event = createEvent({
    id,
    invocationId: 'invocation',
    author: 'agent',
    timestamp: 1_700_000_100,
    content: { role: 'model', parts: [{ text: id }] },
    actions: { stateDelta: { [id]: 1 } },
  });
  return store.append(key, event, { session: { [id]: 1 } }, options);
}
