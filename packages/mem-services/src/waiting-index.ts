import {
  formatWaitingCursor,
  hasMarks,
  isWaiting,
  parseWaitingCursor,
  WAITING_PAGE,
  waitingTime,
} from '@thole/core/kit';
import type { WaitingKind, WaitingPage, WaitingRequest, WaitingSession } from '@thole/core';
import type { SessionRecord } from './session-record.ts';

/**
 * The waiting sessions of a user. A session that no longer waits stays listed until the list is read, because each turn
 * makes its session unfinished and then finished. There is no index per app: `recover` reads the indexes of all users.
 */
export class WaitingIndex {
  readonly #listed = new Set<SessionRecord>();

  /** Lists the session if its marks show that it waits. */
  update(session: SessionRecord): void {
    if (session.isListed || !hasMarks(session.marks)) return;
    session.isListed = true;
    this.#listed.add(session);
  }

  remove(session: SessionRecord): void {
    this.#listed.delete(session);
  }

  /** Returns the sessions that wait for `kind`. Removes sessions that no longer wait. */
  *sessionsOf(kind: WaitingKind): Generator<SessionRecord> {
    for (const session of this.#listed) {
      if (isWaiting(session.marks, kind)) yield session;
      else if (!hasMarks(session.marks)) session.isListed = !this.#listed.delete(session);
    }
  }
}

/** Returns the first waiting sessions after the cursor `after`, ordered by time, session id and user id. */
export function readWaiting(
  indexes: Iterable<WaitingIndex>,
  { kind, before, limit = WAITING_PAGE, after }: WaitingRequest,
  now: number,
): WaitingPage {
  const cursor = after === undefined ? undefined : parseWaitingCursor(after);
  const latest = before ?? (kind === 'due' ? now : Infinity);
  const found: Position[] = [];
  for (const index of indexes) {
    for (const session of index.sessionsOf(kind)) {
      const position = { session, time: waitingTime(session, kind), id: idOf(session) };
      if (position.time <= latest && (!cursor || compare(position, cursor) > 0)) found.push(position);
    }
  }
  const page = found.sort(compare).slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map(({ session }) => toWaitingSession(session)),
    ...(last && found.length > page.length && { next: formatWaitingCursor(last) }),
  };
}

interface Position {
  session: SessionRecord;
  time: number;
  id: string;
}

// Names contain no NUL.
function idOf({ key }: SessionRecord): string {
  return `${key.sessionId}\0${key.userId}`;
}

function compare(a: Omit<Position, 'session'>, b: Omit<Position, 'session'>): number {
  return a.time - b.time || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function toWaitingSession({ key, incarnation, events, lastUpdateTime, marks }: SessionRecord): WaitingSession {
  return { key: { ...key }, incarnation, lastSeq: events.lastSeq, lastUpdateTime, marks: { ...marks } };
}
