import { applyDelta } from '@thole/core/kit';
import type { SessionPage, StateDelta, StateMap, StoredSession } from '@thole/core';
import type { EventList } from './event-list.ts';

/** One app: its state, which counts its writes, and its users. */
export interface StoredApp {
  state: StateMap;
  version: number;
  readonly users: Map<string, StoredUser>;
}

/** One user of an app. */
export interface StoredUser {
  state: StateMap;
  version: number;
  readonly sessions: Map<string, KeptSession>;
}

/** One session; its `lastSeq` is the number of its events. */
export interface KeptSession extends Pick<StoredSession, 'key' | 'incarnation' | 'initialState' | 'createTime'> {
  readonly state: StateMap;
  readonly events: EventList;
  lastUpdateTime: number;
}

/** A session with the user and the app that it belongs to. */
export interface Found {
  readonly app: StoredApp;
  readonly user: StoredUser;
  readonly session: KeptSession;
}

/** Applies changes; an empty delta is no write. */
export function write(owner: StoredApp | StoredUser, delta: StateDelta | undefined): void {
  if (!delta || Object.keys(delta).length === 0) return;
  applyDelta(owner.state, delta);
  owner.version++;
}

/** As the store answers it. The maps are copied, for the next append changes them; the values in them are frozen. */
export function recordOf({ app, user, session }: Found): SessionPage['sessions'][number] {
  return {
    key: { ...session.key },
    incarnation: session.incarnation,
    state: { ...session.state },
    appState: { ...app.state },
    userState: { ...user.state },
    appVersion: app.version,
    userVersion: user.version,
    createTime: session.createTime,
    lastUpdateTime: session.lastUpdateTime,
    lastSeq: session.events.length,
    v: 1,
  };
}

/** The order of lists. */
export function byTimeThenId(a: Found, b: Found): number {
  return (
    a.session.lastUpdateTime - b.session.lastUpdateTime ||
    compare(a.session.key.sessionId, b.session.key.sessionId) ||
    compare(a.session.key.userId, b.session.key.userId)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
