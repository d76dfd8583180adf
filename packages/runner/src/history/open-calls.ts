import type { Event, FunctionCall, FunctionResponse } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';

/** By what a call and its answer know each other: the id, or the name where there is none. */
export function callKey(call: FunctionCall | FunctionResponse): string {
  return call.id === undefined ? `name:${call.name}` : `id:${call.id}`;
}

/** A call and the event that made it. */
export interface RecordedCall {
  readonly event: Event;
  readonly call: FunctionCall;
  readonly isLongRunning: boolean;
}

/** Whether the answer to this call of the event may come in a later message. */
export function isLongRunningCall(event: Event, call: FunctionCall): boolean {
  return call.id !== undefined && event.longRunningToolIds?.includes(call.id) === true;
}

/** The ids of all calls that have an answer among these events, provisional ones too. */
export function answeredCalls(events: Iterable<Event>): Set<string> {
  const ids = new Set<string>();
  for (const event of events) for (const { id } of getFunctionResponses(event)) if (id !== undefined) ids.add(id);
  return ids;
}

/** The calls among these events that no later one answers, in order. */
export function openCalls(events: Iterable<Event>): RecordedCall[] {
  const open = new Map<string, RecordedCall>();
  for (const event of events) {
    for (const answer of getFunctionResponses(event)) open.delete(callKey(answer));
    for (const call of getFunctionCalls(event)) open.set(callKey(call), { event, call, isLongRunning: isLongRunningCall(event, call) });
  }
  return [...open.values()];
}
