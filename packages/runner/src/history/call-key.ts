import type { Event, FunctionCall, FunctionResponse } from '@thole/core';

/** Returns the key that a call and its answer share: the id, or the name if there is no id. */
export function callKey(call: FunctionCall | FunctionResponse): string {
  return call.id ?? `\u0000${call.name}`;
}

/** True if the answer to this call of the event may come in a later message. */
export function isLongRunningCall(event: Event, call: FunctionCall): boolean {
  return call.id !== undefined && event.longRunningToolIds?.includes(call.id) === true;
}
