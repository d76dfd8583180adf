import assert from 'node:assert/strict';
import { createEvent } from '@thole/core';
import type {
  AppendOptions,
  Event,
  LeaseAnswer,
  LeaseAsk,
  LeaseManager,
  LeaseStore,
  SessionHead,
  SessionMarks,
  SessionRef,
  SessionStore,
  StoredSession,
} from '@thole/core';
import type { Case } from '../case.ts';
import { refTo } from './session-support.ts';

export type SessionStoreCase = Case<SessionStore>;

/** An answer that grants no lease: `waiting` or `busy`. */
export type NotGranted = Extract<LeaseAnswer, { waiting: number }>;

/** Returns the lease store of the `StoredLeaseManager` of a session store. */
export function leasesOf(store: SessionStore): LeaseStore {
  const { leasing } = store.abilities as { leasing?: LeaseManager & { store?: LeaseStore } };
  assert.ok(leasing?.store, 'abilities.leasing must be a StoredLeaseManager');
  return leasing.store;
}

/** Returns a request of the run with this fence for `LeaseStore.ask`. Its invocation is named after the fence. */
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

/** Requests the lease of a session and returns the kind of the answer. */
export async function answerKindOf(leases: LeaseStore, ask: LeaseAsk, key: SessionRef = refTo()): Promise<string> {
  return (await leases.ask(key, ask)).kind;
}

/** Requests the lease of a session and asserts that it is granted. */
export async function expectGranted(
  leases: LeaseStore,
  ask: LeaseAsk,
  key: SessionRef = refTo(),
): Promise<LeaseAnswer & { kind: 'granted' }> {
  const answer = await leases.ask(key, ask);
  assert.ok(answer.kind === 'granted', `expected granted, got ${answer.kind}`);
  return answer;
}

/** Requests the lease of a session and asserts that the answer has this kind. */
export async function expectNotGranted(
  leases: LeaseStore,
  kind: NotGranted['kind'],
  ask: LeaseAsk,
  key: SessionRef = refTo(),
): Promise<NotGranted> {
  const answer = await leases.ask(key, ask);
  assert.ok(answer.kind === kind, `expected ${kind}, got ${answer.kind}`);
  return answer as NotGranted;
}

/** Returns the fences whose leases `poll` finds. */
export async function findHeldFences(leases: LeaseStore, ...fences: string[]): Promise<string[]> {
  const states = await leases.poll(fences.map((fence) => ({ key: refTo(), fence })));
  assert.equal(states.length, fences.length, 'poll must return one state per lease');
  return fences.filter((_, i) => states[i] !== undefined);
}

/** Asserts that an `expiresInMs` is `expected`, or at most 400 ms less. */
export function assertAbout(actual: number | undefined, expected: number): void {
  assert.ok(
    actual !== undefined && actual <= expected + 1 && actual >= expected - 400,
    `expiresInMs must be about ${expected}, got ${actual}`,
  );
}

/** Inserts a session without events into the store. */
export async function insertSession(
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
export async function loadSession(store: SessionStore, key: SessionRef = refTo()): Promise<StoredSession> {
  const session = await store.load(key, {});
  assert.ok(session, `session ${key.sessionId} does not exist`);
  return session;
}

export async function marksOf(store: SessionStore, key: SessionRef = refTo()): Promise<SessionMarks> {
  return (await loadSession(store, key)).marks;
}

/** Returns the members of a head that every store has. */
export function versionsIn(head: SessionHead | undefined): Omit<SessionHead, 'lastEventId'> | undefined {
  if (!head) return undefined;
  const { lastEventId: _, ...versions } = head;
  return versions;
}

/** Appends an event with a change of session state directly to the store. */
export function appendTo(
  store: SessionStore,
  id: string,
  options?: AppendOptions,
  key: SessionRef = refTo(),
): Promise<{ event: Event; duplicate: boolean }> {
  return store.append(key, newEvent(id), { session: { [id]: 1 } }, options);
}

/** Returns the event of `appendTo` with a `seq`. */
export function storedEvent(id: string, seq: number): Event {
  return { ...newEvent(id), seq };
}

function newEvent(id: string): Event {
  return createEvent({
    id,
    invocationId: 'invocation',
    author: 'agent',
    timestamp: 1_700_000_100,
    content: { role: 'model', parts: [{ text: id }] },
    actions: { stateDelta: { [id]: 1 } },
  });
}
