import { systemRuntime, TholeError } from '@thole/core';
import { assertSessionRef, noMarks, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Event, JsonObject, StateMap } from '@thole/core';
import type { SqlSessionStoreOptions } from '../session/session-store-options.ts';
import { SqlSessionStore } from '../session/sql-session-store.ts';
import { AdkDatabase } from './adk-database.ts';
import type { AdkDatabaseOptions, AdkSession } from './adk-database.ts';
import { fromAdkEvents } from './adk-event.ts';

/** Argument of `migrateFromAdk`. */
export interface MigrateFromAdkRequest {
  /** The database with ADK's tables. These tables are not changed. */
  from: AdkDatabaseOptions;
  /** Options of the `SqlSessionStore` to write to. It may be the same database, because our tables have a prefix. */
  to: SqlSessionStoreOptions;
  /** Called after each session with the counts so far. `total` is the count of sessions at the start. */
  onProgress?: ((done: MigrateFromAdkResult & { total: number }) => void) | undefined;
}

const requestNames = optionNames<MigrateFromAdkRequest>({ from: true, to: true, onProgress: true });

/** Counts of the copied data. */
export interface MigrateFromAdkResult {
  /** Number of copied sessions. */
  sessions: number;
  /** Number of copied events. */
  events: number;
  /** Number of sessions that existed already. They are not changed. */
  skipped: number;
}

/**
 * Copies the sessions, events and state of Google ADK's `DatabaseSessionService`: from ADK for TypeScript, and from ADK for
 * Python with events as JSON (schema version 1). The call can be repeated: existing sessions and keys are not changed.
 * Throws `STORE_VERSION` if the events are pickled (older tables of ADK for Python). The message names the command that
 * converts them.
 */
export async function migrateFromAdk(p: MigrateFromAdkRequest): Promise<MigrateFromAdkResult> {
  rejectUnknownOptions(p, requestNames, 'migrateFromAdk');
  const from = new AdkDatabase(p.from);
  let to: SqlSessionStore | undefined;
  try {
    await from.check();
    to = new SqlSessionStore(p.to);
    await to.ping();
    return await copy(from, to, p);
  } finally {
    await from.close();
    await to?.close();
  }
}

async function copy(
  from: AdkDatabase,
  to: SqlSessionStore,
  { to: { runtime = systemRuntime() }, onProgress }: MigrateFromAdkRequest,
): Promise<MigrateFromAdkResult> {
  const total = onProgress === undefined ? 0 : await from.countSessions();
  const result: MigrateFromAdkResult = { sessions: 0, events: 0, skipped: 0 };
  for await (const session of from.sessions()) {
    assertSessionRef(session.key);
    const events = fromAdkEvents(await from.events(session.key));
    if (await insert(to, session, events, runtime.newId('incarnation'))) {
      result.sessions++;
      result.events += events.length;
    } else {
      result.skipped++;
    }
    onProgress?.({ ...result, total });
  }
  for await (const { appName, state } of from.appStates()) await to.addState({ appName }, dropNulls(state));
  for await (const { appName, userId, state } of from.userStates()) {
    await to.addState({ appName, userId }, dropNulls(state));
  }
  return result;
}

/** Returns false if the session exists already. */
async function insert(
  to: SqlSessionStore,
  session: AdkSession,
  events: readonly Event[],
  incarnation: string,
): Promise<boolean> {
  const state = dropNulls(session.state);
  const lastUpdateTime = Math.max(session.updateTime, ...events.map((event) => event.timestamp));
  try {
    await to.insert({
      key: session.key,
      incarnation,
      initialState: findInitialState(state, events),
      state,
      appState: {},
      userState: {},
      appVersion: 0,
      userVersion: 0,
      events,
      createTime: session.createTime,
      lastUpdateTime,
      lastSeq: events.length,
      marks: noMarks,
      v: 1,
    });
    return true;
  } catch (error) {
    if (TholeError.is(error, 'SESSION_ALREADY_EXISTS')) return false;
    throw error;
  }
}

/** Returns the keys that no event has written, because ADK does not store the initial state. */
function findInitialState(state: StateMap, events: readonly Event[]): StateMap {
  const written = new Set(events.flatMap((event) => Object.keys(event.actions.stateDelta)));
  return Object.fromEntries(Object.entries(state).filter(([key]) => !written.has(key)));
}

/** Drops keys with the value null. ADK stores these keys, but here null deletes a key. */
function dropNulls(state: JsonObject): StateMap {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
}
