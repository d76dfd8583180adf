import type { Event, FunctionCall } from '@thole/core';

/** A call that waits for an answer from outside. */
export interface PendingCall {
  event: Event;
  call: FunctionCall;
  kind: 'confirmation' | 'input' | 'credential' | 'tool';
}

/**
 * Returns the long-running calls without an answer of a user. A tool's first note, such as "pending", is not an
 * answer.
 */
export function findPendingCalls(events: readonly Event[]): readonly PendingCall[] {
  const pending = new Map<string, PendingCall>();
  for (const event of events) {
    for (const part of event.content?.parts ?? []) {
      const { functionCall, functionResponse } = part;
      if (functionCall?.id !== undefined && event.longRunningToolIds?.includes(functionCall.id)) {
        pending.set(functionCall.id, { event, call: functionCall, kind: kindOf(functionCall.name) });
      }
      if (functionResponse?.id !== undefined && event.author === 'user') pending.delete(functionResponse.id);
    }
  }
  return [...pending.values()];
}

function kindOf(name: string): PendingCall['kind'] {
  if (name === 'adk_request_confirmation') return 'confirmation';
  if (name === 'adk_request_input') return 'input';
  if (name === 'adk_request_credential') return 'credential';
  return 'tool';
}
