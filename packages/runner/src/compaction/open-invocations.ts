import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Event } from '@thole/core';
import { isLongRunningCall } from '../history/call-key.ts';
import { frameworkCalls } from '../history/event-kinds.ts';

/** Errors of closing records after which an invocation can never be resumed. */
const final: readonly (string | undefined)[] = ['RUN_ABORTED', 'RUN_INTERRUPTED', 'RUN_SUPERSEDED'];

/**
 * Returns the invocations whose events must not be summarized, because they may still continue: those with an open request
 * to a person, with a long-running call that has no final answer, or with any other call without an answer unless the
 * invocation has ended for good. The newest invocation has not ended if it has no complete answer.
 */
export function openInvocations(events: readonly Event[]): Set<string> {
  const open = new Set<string>();
  const ended = new Set<string>();
  const answered = new Map<string, { byUser: boolean }>();
  const newest = events.findLast((event) => event.author !== 'system')?.invocationId;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    const { invocationId } = event;
    if (final.includes(event.errorCode)) ended.add(invocationId);
    for (const { id } of getFunctionResponses(event)) {
      if (id !== undefined) answered.set(id, { byUser: event.author === 'user' || answered.get(id)?.byUser === true });
    }
    if (ended.has(invocationId)) continue;
    for (const call of getFunctionCalls(event)) {
      const answer = call.id === undefined ? undefined : answered.get(call.id);
      const isAsked = isLongRunningCall(event, call) || frameworkCalls.includes(call.name);
      const mayContinue = isAsked ? !answer?.byUser : !answer && invocationId === newest;
      if (mayContinue) open.add(invocationId);
    }
  }
  if (newest !== undefined && !ended.has(newest) && !isComplete(events, newest)) open.add(newest);
  return open;
}

/** True if the last event of the invocation is an answer or a closing record. */
function isComplete(events: readonly Event[], invocationId: string): boolean {
  const last = events.findLast((event) => event.invocationId === invocationId)!;
  if (last.author === 'user') return false;
  return last.errorCode !== undefined || getFunctionCalls(last).length === 0;
}
