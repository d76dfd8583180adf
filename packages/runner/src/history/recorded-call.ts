import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Event, EventLog, FunctionCall } from '@thole/core';
import { newestFirst } from '@thole/core/kit';
import { isLongRunningCall } from './call-key.ts';

/** A call, the event that made it, and whether its answer is final. */
export interface RecordedCall {
  readonly event: Event;
  readonly call: FunctionCall;
  readonly isLongRunning: boolean;
  readonly isAnswered: boolean;
}

/**
 * Returns the call with this id, without calls that a rewind has removed. `isAnswered` is true if its answer is final. A tool's
 * own answer to a long-running call is provisional. An answer in a user's message is final, and so is any answer to other calls.
 */
export function recordedCall(history: EventLog, id: string): RecordedCall | undefined {
  let byUser = false;
  let byAnyone = false;
  for (const event of newestFirst(history)) {
    if (getFunctionResponses(event).some((answer) => answer.id === id)) {
      byAnyone = true;
      byUser ||= event.author === 'user';
    }
    const call = getFunctionCalls(event).find((candidate) => candidate.id === id);
    if (!call) continue;
    const isLongRunning = isLongRunningCall(event, call);
    return { event, call, isLongRunning, isAnswered: isLongRunning ? byUser : byAnyone };
  }
  return undefined;
}
