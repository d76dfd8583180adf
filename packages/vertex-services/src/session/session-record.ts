import { TholeError } from '@thole/core';
import { definedMembers, isPlainObject, noMarks, setOwn } from '@thole/core/kit';
import type { ForkOrigin, Json, JsonObject, SessionMarks, SessionRef, StateMap, StoredSession } from '@thole/core';
import { decodeValue, encodeValue, isSafeText } from '../client/struct-value.ts';
import { parseSeconds } from '../client/wire-time.ts';

/**
 * State keys for data for which a session of the service has no field. The store writes them with the session and with
 * each event, and removes them from the state that callers see.
 */
const CREATED_KEY = 'thole:session';
const HEAD_KEY = 'thole:head';

/** Data that is stored when a session is created. */
interface CreationData {
  v: number;
  /** Name of the app, if several apps may use the engine. */
  app?: string | undefined;
  incarnation: string;
  createTime: number;
  lastUpdateTime: number;
  initialState: StateMap;
  forkedFrom?: ForkOrigin | undefined;
  marks: SessionMarks;
  /** Number of the oldest events that were pruned before the session was inserted. Default: 0. */
  pruned?: number | undefined;
  /** True for a session that was created only to read the state of its user. */
  isProbe?: boolean | undefined;
}

/** Data that each event updates. */
export interface SessionRecordHead {
  lastSeq: number;
  lastUpdateTime: number;
  marks: SessionMarks;
}

/** A session of the service, as this package reads it. */
export type SessionRecord = Omit<StoredSession, 'events'> & {
  /** Name of the app that created the session. If undefined, every app of the engine sees the session. */
  owner?: string | undefined;
  pruned: number;
  isProbe?: boolean | undefined;
  /** True if this package wrote `lastSeq` and `lastUpdateTime`; otherwise the events must be read. */
  hasHead?: boolean | undefined;
};

/** Returns the state of a new session. */
export function newSessionState(session: StoredSession, app: string | undefined): JsonObject {
  const { incarnation, createTime, lastUpdateTime, initialState, forkedFrom, marks, lastSeq, events } = session;
  const pruned = lastSeq - events.length || undefined;
  const created: CreationData = {
    v: 1,
    app,
    incarnation,
    createTime,
    lastUpdateTime,
    initialState,
    forkedFrom,
    marks,
    pruned,
  };
  const state: JsonObject = {};
  for (const [key, value] of Object.entries(session.state)) setState(state, key, value);
  for (const [key, value] of Object.entries(session.appState)) setState(state, `app:${key}`, value);
  for (const [key, value] of Object.entries(session.userState)) setState(state, `user:${key}`, value);
  return { ...state, [CREATED_KEY]: encodeValue(definedMembers(created) as unknown as Json) };
}

/** Returns the state of a session that is created only to read the state of its user. */
export function probeState(now: number): JsonObject {
  const created = {
    v: 1,
    incarnation: 'probe',
    createTime: now,
    lastUpdateTime: now,
    initialState: {},
    marks: noMarks,
  };
  return { [CREATED_KEY]: { ...created, isProbe: true } as unknown as Json };
}

/** Returns the state changes of an event with its head. */
export function encodeDelta(delta: JsonObject, head: SessionRecordHead): JsonObject {
  const encoded: JsonObject = {};
  for (const [key, value] of Object.entries(delta)) setState(encoded, key, value);
  return { ...encoded, [HEAD_KEY]: definedMembers(head) as unknown as Json };
}

/** Returns a session of the service as a record. */
export function readRecord(key: SessionRef, stored: JsonObject): SessionRecord {
  const all = (stored['sessionState'] ?? {}) as JsonObject;
  const created = membersOf<CreationData>(all[CREATED_KEY]);
  const head = membersOf<SessionRecordHead>(all[HEAD_KEY]);
  if (created && created.v !== 1)
    throw new TholeError(
      'STORE_VERSION',
      `The record of session "${key.sessionId}" has version ${String(created.v)}. This package reads version 1.`,
    );
  const createTime = created?.createTime ?? parseSeconds(stored['createTime']);
  return {
    key,
    // A deleted session and its successor with the same id differ in their times.
    incarnation: created?.incarnation ?? (stored['createTime'] as string),
    initialState: created?.initialState ?? {},
    ...(created?.forkedFrom && { forkedFrom: created.forkedFrom }),
    ...statesOf(all),
    appVersion: 0,
    userVersion: 0,
    createTime,
    lastUpdateTime: head?.lastUpdateTime ?? created?.lastUpdateTime ?? parseSeconds(stored['updateTime']),
    lastSeq: head?.lastSeq ?? created?.pruned ?? 0,
    marks: { ...noMarks, ...created?.marks, ...head?.marks },
    v: 1,
    owner: created?.app,
    pruned: created?.pruned ?? 0,
    isProbe: created?.isProbe === true,
    hasHead: head !== undefined || created !== undefined,
  };
}

/**
 * Returns the state by scope, without prefixes and without this package's own keys. The value null means that the key is
 * deleted.
 */
function statesOf(all: JsonObject): Pick<StoredSession, 'state' | 'appState' | 'userState'> {
  const states = { state: {}, appState: {}, userState: {} };
  for (const [key, value] of Object.entries(all)) {
    if (value === null || key === CREATED_KEY || key === HEAD_KEY) continue;
    if (key.startsWith('app:')) setOwn(states.appState, key.slice(4), decodeValue(value));
    else if (key.startsWith('user:')) setOwn(states.userState, key.slice(5), decodeValue(value));
    else if (!key.startsWith('temp:')) setOwn(states.state, key, decodeValue(value));
  }
  return states;
}

function setState(state: JsonObject, key: string, value: Json): void {
  if (key === CREATED_KEY || key === HEAD_KEY)
    throw new TholeError('INVALID_INPUT', `The state key ${key} is used by VertexAiSessionService itself.`);
  if (!isSafeText(key))
    throw new TholeError('INVALID_INPUT', 'State keys must not contain NUL or lone surrogates on Vertex AI.');
  setOwn(state, key, encodeValue(value));
}

function membersOf<T>(value: Json | undefined): T | undefined {
  const decoded = value === undefined ? undefined : decodeValue(value);
  return isPlainObject(decoded) ? (decoded as T) : undefined;
}
