import { formatWaitingCursor, isWaiting, parseWaitingCursor, WAITING_PAGE, waitingTime } from '@thole/core/kit';
import type { WaitingKind, WaitingPage, WaitingRequest, WaitingSession } from '@thole/core';
import type { SessionRecord } from './session-record.ts';

/** The kinds of waiting sessions. */
const waitingKinds: readonly WaitingKind[] = ['unfinished', 'due', 'interrupts'];

/**
 * The waiting sessions of a user, by kind. An app has no index: most turns would change it, and only `recover` reads it, which
 * passes all users of the app.
 */
export class WaitingIndex {
  readonly #sessions: { [kind in WaitingKind]?: Set<SessionRecord> } = {};

  /** Adds a new session to the kinds that its marks show. */
  add(session: SessionRecord): void {
    for (const kind of waitingKinds) if (isWaiting(session.marks, kind)) this.set(kind, session, true);
  }

  /** Adds the session to this kind, or removes it. */
  set(kind: WaitingKind, session: SessionRecord, isWaitingNow: boolean): void {
    if (isWaitingNow) (this.#sessions[kind] ??= new Set()).add(session);
    else this.#sessions[kind]?.delete(session);
  }

  remove(session: SessionRecord): void {
    for (const kind of waitingKinds) this.#sessions[kind]?.delete(session);
  }

  of(kind: WaitingKind): Iterable<SessionRecord> {
    return this.#sessions[kind] ?? [];
  }
}

/** Returns the first waiting sessions after the cursor, by time and then by name. The indexes are those of users. */
export function readWaiting(
  indexes: Iterable<WaitingIndex>,
  { kind, before, limit = WAITING_PAGE, after }: WaitingRequest,
  now: number,
): WaitingPage {
  const cursor = after === undefined ? undefined : parseWaitingCursor(after);
  const latest = before ?? (kind === 'due' ? now : Infinity);
  const found: Position[] = [];
  for (const index of indexes) {
    for (const session of index.of(kind)) {
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
  return { key: { ...key }, incarnation, lastSeq: events.length, lastUpdateTime, marks: { ...marks } };
}
