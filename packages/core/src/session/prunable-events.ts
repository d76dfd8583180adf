import { applyRewinds, firstEventOf, rewindOf } from '../event/apply-rewinds.ts';
import { getFunctionCalls, getFunctionResponses } from '../event/read-event.ts';
import type { Event } from '../event/event.ts';
import { isFinalRecord, isProvisional } from '../interrupt/interrupt-log.ts';
import { setOwn } from '../json/own.ts';
import { splitByScope } from '../state/scopes.ts';
import type { StateDelta } from '../state/scopes.ts';
import type { SessionMarks } from './session.ts';
import { hasMarks } from './waiting-sessions.ts';

/**
 * Returns the number of oldest events that a store may delete, at most `count`. If the session has marks, the store
 * must keep an invocation that is unfinished or has an open call, and all events after its first event: a resume reads
 * them. A marker of a rewind and the events that it removes are deleted together. `events` are all stored events of the
 * session.
 */
export function countPrunableEvents(events: readonly Event[], p: { count: number; marks: SessionMarks }): number {
  let count = Math.min(p.count, events.length);
  if (hasMarks(p.marks)) {
    const waiting = waitingInvocations(events, p.marks);
    const first = events.findIndex(({ invocationId }) => waiting.has(invocationId));
    if (first !== -1) count = Math.min(count, first);
  }
  // From the newest marker to the oldest: a reduced count can end inside the range of an earlier marker.
  for (let i = events.length - 1; i > 0; i--) {
    const target = rewindOf(events[i]!);
    if (target === undefined || i < count) continue;
    const first = firstEventOf(events, target);
    if (first !== -1 && first < count) count = first;
  }
  return count;
}

/** Returns the changes that these events made to the session's own keys, as one delta. Null deletes a key. */
export function foldStateDeltas(events: readonly Event[]): StateDelta {
  const folded: StateDelta = {};
  for (const { actions } of events) {
    for (const [key, value] of Object.entries(splitByScope(actions.stateDelta).session ?? {}))
      setOwn(folded, key, value);
  }
  return folded;
}

/** Returns the invocations that can continue: the unfinished invocation, and invocations with a call without an answer. */
function waitingInvocations(events: readonly Event[], { unfinished }: SessionMarks): ReadonlySet<string> {
  const open = new Map<string, { invocationId: string; isLongRunning: boolean }>();
  for (const event of applyRewinds(events)) {
    const { author, invocationId, longRunningToolIds = [] } = event;
    const isFromAgent = author !== 'user' && author !== 'system';
    for (const { id } of getFunctionCalls(event)) {
      if (isFromAgent && id !== undefined)
        open.set(id, { invocationId, isLongRunning: longRunningToolIds.includes(id) });
    }
    for (const response of getFunctionResponses(event)) {
      const call = response.id === undefined ? undefined : open.get(response.id);
      if (call && !isProvisional(event, response, call)) open.delete(response.id!);
    }
    if (!isFinalRecord(event)) continue;
    for (const [id, call] of open) if (call.invocationId === invocationId) open.delete(id);
  }
  const waiting = new Set([...open.values()].map(({ invocationId }) => invocationId));
  if (unfinished !== null) waiting.add(unfinished);
  return waiting;
}
