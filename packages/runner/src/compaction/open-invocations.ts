import { getFunctionCalls, getFunctionResponses, isFinalResponse } from '@thole/core';
import { InterruptLog, isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event } from '@thole/core';

/** A call without its answer. */
interface OpenCall {
  readonly invocationId: string;
  readonly isLongRunning: boolean;
}

/**
 * Returns the ids of the invocations that may still continue, so that their events must not be summarized:
 *
 * - invocations with an open interrupt,
 * - invocations with a call that has no final answer, unless they have ended with a closing record,
 * - the newest invocation, if it has no complete answer or if one of its agents has begun and not ended.
 *
 * `events` are the visible events, without those that a rewind has removed.
 */
export function openInvocations(events: readonly Event[]): Set<string> {
  const interrupts = new InterruptLog();
  const calls = new Map<string, OpenCall>();
  for (const event of events) {
    interrupts.add(event);
    if (event.author !== 'user' && event.author !== 'system') addCalls(calls, event);
    for (const response of getFunctionResponses(event)) {
      const call = response.id === undefined ? undefined : calls.get(response.id);
      if (call && !isProvisional(event, response, call)) calls.delete(response.id!);
    }
  }
  const open = new Set<string>();
  for (const { interrupt } of interrupts.open) open.add(interrupt.invocationId);
  for (const { invocationId } of calls.values()) if (!interrupts.endOf(invocationId)) open.add(invocationId);
  const newest = events.findLast((event) => event.author !== 'system')?.invocationId;
  if (newest !== undefined && !interrupts.endOf(newest) && !hasEnded(events, newest)) open.add(newest);
  return open;
}

function addCalls(calls: Map<string, OpenCall>, event: Event): void {
  const { invocationId, longRunningToolIds = [] } = event;
  for (const { id, name } of getFunctionCalls(event)) {
    if (id === undefined || requestKindOf(name)) continue;
    calls.set(id, { invocationId, isLongRunning: longRunningToolIds.includes(id) });
  }
}

/** True if the last event with content is a complete answer or a closing record, and no workflow agent is unfinished. */
function hasEnded(events: readonly Event[], invocationId: string): boolean {
  const own = events.filter((event) => event.invocationId === invocationId);
  const last = own.findLast((event) => event.content !== undefined || event.errorCode !== undefined);
  if (last?.errorCode !== undefined) return true;
  if (!last || last.author === 'user' || !isFinalResponse(last)) return false;
  const active = new Set<string>();
  for (const { actions, author, nodeInfo } of own) {
    const agent = nodeInfo?.path ?? author;
    if (actions.endOfAgent) active.delete(agent);
    else if (actions.agentState) active.add(agent);
  }
  return active.size === 0;
}
