import { systemRuntime, TholeError } from '@thole/core';
import { assertSessionRef, rejectUnknownOptions } from '@thole/core/kit';
import type { Event, JsonObject, StateMap } from '@thole/core';
import type { SqlSessionStoreOptions } from '../session/session-store-options.ts';
import { SqlSessionStore } from '../session/sql-session-store.ts';
import { AdkDatabase } from './adk-database.ts';
import type { AdkDatabaseOptions, AdkSession } from './adk-database.ts';
import { fromAdkEvent } from './adk-event.ts';

/** From where to where. */
export interface MigrateFromAdkRequest {
  /** ADK's database; it is read and never written. */
  from: AdkDatabaseOptions;
  /** Ours, with the options of `SqlSessionStore`. It may be the same database: our tables have a prefix. */
  to: SqlSessionStoreOptions;
  /** Called after each session with what was done so far; `total` is how many sessions there were at the beginning. */
  onProgress?: ((done: MigrateFromAdkResult & { total: number }) => void) | undefined;
}

/** What was copied. */
export interface MigrateFromAdkResult {
  sessions: number;
  events: number;
  /** Sessions that were there already: they stay as they are. */
  skipped: number;
}

/**
 * Copies the sessions, events and state that Google ADK's `DatabaseSessionService` has stored: that of TypeScript, or that of
 * Python with events as JSON (its schema version 1). May be repeated: what is there already stays as it is. `STORE_VERSION`
 * for the older tables of Python, whose events are pickled; the message names ADK's own tool that converts them.
 */
export async function migrateFromAdk(p: MigrateFromAdkRequest): Promise<MigrateFromAdkResult> {
  rejectUnknownOptions(p, ['from', 'to', 'onProgress'], 'migrateFromAdk');
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
    const events = (await from.events(session.key)).map(fromAdkEvent);
    for (const [i, event] of events.entries()) event.seq = i + 1;
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

/** Whether it was not there. */
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
      v: 1,
    });
    return true;
  } catch (error) {
    if (TholeError.is(error, 'SESSION_ALREADY_EXISTS')) return false;
    throw error;
  }
}

/** ADK keeps no initial state: it is what no event has written. */
function findInitialState(state: StateMap, events: readonly Event[]): StateMap {
  const written = new Set(events.flatMap((event) => Object.keys(event.actions.stateDelta)));
  return Object.fromEntries(Object.entries(state).filter(([key]) => !written.has(key)));
}

/** ADK keeps a key that was set to null; here that deletes it. */
function dropNulls(state: JsonObject): StateMap {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
}
