import { applyDelta } from '@thole/core/kit';
import type { SessionMarks, SessionPage, StateDelta, StateMap, StoredSession } from '@thole/core';
import type { EventList } from './event-list.ts';
import type { WaitingIndex } from './waiting-index.ts';

/** An app: its state, the number of writes to its state, and its users. */
export interface StoredApp {
  state: StateMap;
  version: number;
  readonly users: Map<string, StoredUser>;
}

/** A user of an app. */
export interface StoredUser {
  state: StateMap;
  version: number;
  readonly waiting: WaitingIndex;
  readonly sessions: Map<string, SessionRecord>;
}

/** A session. Its `lastSeq` is that of its events. */
export interface SessionRecord extends Pick<
  StoredSession,
  'key' | 'incarnation' | 'initialState' | 'createTime' | 'forkedFrom'
> {
  readonly state: StateMap;
  readonly events: EventList;
  lastUpdateTime: number;
  /** True if the `WaitingIndex` of the user contains this session. */
  isListed: boolean;
  readonly marks: { -readonly [Mark in keyof SessionMarks]: SessionMarks[Mark] };
}

/** A session with its user and its app. */
export interface FoundSession {
  readonly app: StoredApp;
  readonly user: StoredUser;
  readonly session: SessionRecord;
}

/** Applies state changes and counts them as one write. Empty changes are not a write. */
export function applyChanges(owner: StoredApp | StoredUser, delta: StateDelta | undefined): void {
  if (!delta || Object.keys(delta).length === 0) return;
  applyDelta(owner.state, delta);
  owner.version++;
}

/** Sets the marks that `changes` contains. The others do not change. */
export function applyMarks({ session, user }: FoundSession, changes: Partial<SessionMarks> | undefined): void {
  if (!changes) return;
  const { marks } = session;
  const { openInterrupts, unfinished, wakeAt } = changes;
  if (unfinished !== undefined) marks.unfinished = unfinished;
  if (wakeAt !== undefined) marks.wakeAt = wakeAt;
  if (openInterrupts !== undefined) marks.openInterrupts = openInterrupts;
  user.waiting.update(session);
}

/** Returns the session in the form of `load` and `list`. The maps are copied because the next append changes them. */
export function toRecord({ app, user, session }: FoundSession): SessionPage['sessions'][number] {
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
    lastSeq: session.events.lastSeq,
    marks: { ...session.marks },
    ...(session.forkedFrom && { forkedFrom: { ...session.forkedFrom } }),
    v: 1,
  };
}

/** Compares sessions in the order of lists: by time, then by session id and user id. */
export function compareByTime(a: FoundSession, b: FoundSession): number {
  return (
    a.session.lastUpdateTime - b.session.lastUpdateTime ||
    compare(a.session.key.sessionId, b.session.key.sessionId) ||
    compare(a.session.key.userId, b.session.key.userId)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
