import type { FunctionCall, FunctionResponse } from '../content/content.ts';
import { newestFirst } from '../event/apply-rewinds.ts';
import { getFunctionCalls, getFunctionResponses } from '../event/read-event.ts';
import type { Event } from '../event/event.ts';
import { InterruptLog, isProvisional } from './interrupt-log.ts';

/** The state of a tool call in a history. */
export interface CallStatus {
  /**
   * `answered`: the call has its answer. `waiting`: an interrupt of the call is open. `open`: neither; the call runs, was
   * never started, or its outcome is unknown.
   */
  status: 'answered' | 'waiting' | 'open';
  call: FunctionCall;
  /** The event with the call. */
  event: Event;
  isLongRunning: boolean;
  /** The answer, or the last provisional response if there is no answer. Undefined if there is no response. */
  response?: FunctionResponse | undefined;
  /** The event with `response`. */
  responseEvent?: Event | undefined;
}

/** A list of events, or an `EventLog`. */
interface Events {
  readonly length: number;
  at(index: number): Event | undefined;
}

/**
 * Returns the state of the call with this id after rewinds. Undefined if the history does not contain the call. Of several
 * calls with this id, the newest counts. Reads the history from its end to the call.
 */
export function callStatus(events: Events, functionCallId: string): CallStatus | undefined {
  const later: Event[] = [];
  for (const event of newestFirst(events)) {
    later.push(event);
    const call = getFunctionCalls(event).find(({ id }) => id === functionCallId);
    if (call) return statusOf(event, call, later.reverse());
  }
  return undefined;
}

function statusOf(event: Event, call: FunctionCall, later: readonly Event[]): CallStatus {
  const isLongRunning = event.longRunningToolIds?.includes(call.id!) === true;
  const interrupts = new InterruptLog();
  const state: CallStatus = { status: 'open', call, event, isLongRunning };
  for (const each of later) {
    interrupts.add(each);
    if (state.status === 'answered') continue;
    for (const response of getFunctionResponses(each)) {
      if (response.id !== call.id) continue;
      state.response = response;
      state.responseEvent = each;
      if (!isProvisional(each, response, { isLongRunning })) state.status = 'answered';
    }
  }
  const isWaiting = (): boolean => interrupts.ofCall(call.id!).some(({ isOpen }) => isOpen);
  if (state.status !== 'answered' && isWaiting()) state.status = 'waiting';
  return state;
}
