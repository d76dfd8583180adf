import type { Event, FunctionCall, FunctionResponse } from '@thole/core';

/** By what a call and its answer know each other: the id, or the name where there is none. */
export function callKey(call: FunctionCall | FunctionResponse): string {
  return call.id ?? `\u0000${call.name}`;
}

/** Whether the answer to this call of the event may come in a later message. */
export function isLongRunningCall(event: Event, call: FunctionCall): boolean {
  return call.id !== undefined && event.longRunningToolIds?.includes(call.id) === true;
}
