import { TholeError } from '../errors/thole-error.ts';
import type { SessionMarks, SessionRef } from './session.ts';

/**
 * Kind of work that a session waits for: its unfinished invocation to continue (`unfinished`), a timer or an expiry that is
 * due (`due`), or an answer to an open interrupt (`interrupts`). A session can wait for several kinds.
 */
export type WaitingKind = 'unfinished' | 'due' | 'interrupts';

/** A query for the sessions of an app that wait. */
export interface WaitingRequest {
  appName: string;
  /** Default: all users of the app. */
  userId?: string | undefined;
  kind: WaitingKind;
  /**
   * Latest time of the sessions to return, in seconds since the epoch. Applies to `marks.wakeAt` for the kind `due`, and to
   * `lastUpdateTime` for the other kinds. Default: now by the store's clock for `due`, no limit for the other kinds.
   */
  before?: number | undefined;
  /** Maximum number of sessions to return, at least 1. Default: 100. */
  limit?: number | undefined;
  /** `next` of the previous page. Default: the first page. */
  after?: string | undefined;
}

/** A session that waits. */
export interface WaitingSession {
  key: SessionRef;
  incarnation: string;
  lastSeq: number;
  /** Seconds since the epoch. */
  lastUpdateTime: number;
  marks: SessionMarks;
}

/** One page of sessions that wait. */
export interface WaitingPage {
  sessions: WaitingSession[];
  /** Cursor of the next page. Undefined after the last page. */
  next?: string | undefined;
}

/**
 * A position in a list of waiting sessions: the time of the last returned session, and its id among sessions with this
 * time.
 */
export interface WaitingCursor {
  time: number;
  id: string;
}

/** Count of sessions on a page if the request has no limit. */
export const WAITING_PAGE = 100;

/** Returns the cursor as the text of `WaitingPage.next`. */
export function formatWaitingCursor({ time, id }: WaitingCursor): string {
  return JSON.stringify([time, id]);
}

/** Returns the cursor of this text. Throws `INVALID_INPUT` for a text that is not a cursor. */
export function parseWaitingCursor(text: string): WaitingCursor {
  try {
    const [time, id] = JSON.parse(text) as [unknown, unknown];
    if (typeof time === 'number' && typeof id === 'string') return { time, id };
  } catch {
    // Not JSON: reported below.
  }
  throw new TholeError('INVALID_INPUT', 'after must be the `next` of the previous page.');
}

/** Returns the time by which a waiting session is ordered. */
export function waitingTime(
  { lastUpdateTime, marks }: Pick<WaitingSession, 'lastUpdateTime' | 'marks'>,
  kind: WaitingKind,
): number {
  return kind === 'due' ? marks.wakeAt! : lastUpdateTime;
}

/** True if a session with these marks waits for this kind of work. */
export function isWaiting(marks: SessionMarks, kind: WaitingKind): boolean {
  if (kind === 'unfinished') return marks.unfinished !== null;
  return kind === 'due' ? marks.wakeAt !== null : marks.openInterrupts > 0;
}

/** True if a session with these marks waits for anything. Such a session does not expire, and `ifIdle` keeps it. */
export function hasMarks({ unfinished, wakeAt, openInterrupts }: SessionMarks): boolean {
  return unfinished !== null || wakeAt !== null || openInterrupts > 0;
}
