import { formatWaitingCursor, isWaiting, parseWaitingCursor, WAITING_PAGE, waitingTime } from '@thole/core/kit';
import type { WaitingPage, WaitingRequest, WaitingSession } from '@thole/core';

/**
 * Returns a page of the sessions that wait, from all sessions of the app. The service has no index of them. `now` is in
 * seconds.
 */
export function waitingPage(sessions: readonly WaitingSession[], request: WaitingRequest, now: number): WaitingPage {
  const { kind, before = kind === 'due' ? now : Infinity, limit = WAITING_PAGE, after } = request;
  const from = after === undefined ? undefined : parseWaitingCursor(after);
  const found = sessions
    .filter(({ marks }) => isWaiting(marks, kind))
    .map((session) => ({ session, time: waitingTime(session, kind), id: idOf(session) }))
    .filter(({ time }) => time <= before)
    .filter(({ time, id }) => !from || time > from.time || (time === from.time && id > from.id))
    .sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const result = { sessions: page.map(({ session }) => membersOf(session)) };
  return last && found.length > limit ? { ...result, next: formatWaitingCursor(last) } : result;
}

function membersOf({ key, incarnation, lastSeq, lastUpdateTime, marks }: WaitingSession): WaitingSession {
  return { key, incarnation, lastSeq, lastUpdateTime, marks };
}

function idOf({ key }: WaitingSession): string {
  return JSON.stringify([key.userId, key.sessionId]);
}
