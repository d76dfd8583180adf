import { getFunctionCalls, getFunctionResponses, isFinalResponse } from '@thole/core';
import { InterruptLog, isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event } from '@thole/core';

/** A call without its answer. */
interface OpenCall {
  readonly invocationId: string;
  readonly isLongRunning: boolean;
}

/**
 * Returns the invocations whose events must not be summarized, because they may still continue: those with an open interrupt,
 * and those with a call that has no final answer, unless the invocation has ended for good. The newest invocation is also one
 * of them if it has no complete answer, or if an agent of it has begun and not ended. `events` are those after rewinds.
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

/** True if the last event with words is a complete answer or a closing record, and no workflow agent is between two agents. */
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
