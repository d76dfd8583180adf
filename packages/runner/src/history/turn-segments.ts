import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, FunctionCall } from '@thole/core';

/** The events of one agent at a place, until it transferred to another agent. */
export interface TurnSegment {
  readonly events: readonly Event[];
  /** Name of the agent that took over. Undefined if the agent has not transferred. */
  readonly transferTo: string | undefined;
}

/** The calls of a model answer and their final answers. */
interface Turn {
  readonly event: Event;
  readonly calls: readonly FunctionCall[];
  readonly answered: Set<string>;
  /** Ids of calls that requested an approval or a sign-in before they began. */
  readonly requested: Set<string>;
  /** Targets of transfers by call id. */
  readonly targets: Map<string, string>;
}

/**
 * Returns the segments of a place, one for each agent that acted there in turn. At least one. A transfer whose target has no
 * events counts after all other calls of its turn are answered, except calls that are answered later.
 */
export function segmentsOf(events: readonly Event[]): TurnSegment[] {
  const segments: TurnSegment[] = [];
  let start = 0;
  let turn: Turn | undefined;
  const end = (index: number): void => {
    const call = turn?.calls.find(({ id }) => id !== undefined && turn!.targets.has(id));
    if (call && (index < events.length || !hasOpenCall(turn!))) {
      segments.push({ events: events.slice(start, index), transferTo: turn!.targets.get(call.id!) });
      start = index;
    }
    turn = undefined;
  };
  for (const [index, event] of events.entries()) {
    if (isModelAnswer(event)) {
      end(index);
      turn = { event, calls: getFunctionCalls(event), answered: new Set(), requested: new Set(), targets: new Map() };
      continue;
    }
    const target = event.actions.transferToAgent;
    for (const response of getFunctionResponses(event)) {
      if (response.id === undefined) continue;
      const isRequest = isProvisional(event, response, { isLongRunning: false });
      (isRequest ? turn?.requested : turn?.answered)?.add(response.id);
      if (target !== undefined && !isRequest) turn?.targets.set(response.id, target);
    }
  }
  end(events.length);
  segments.push({ events: events.slice(start), transferTo: undefined });
  // The last segment is empty after a transfer if the target has no events yet.
  return segments;
}

function hasOpenCall({ answered, calls, event, requested }: Turn): boolean {
  return calls.some(({ id }) => {
    if (id === undefined || answered.has(id)) return false;
    // A long-running call that has begun is answered later.
    return requested.has(id) || !event.longRunningToolIds?.includes(id);
  });
}

/** True for an event with an answer of the model: not a tool's answer and not a request to a person. */
export function isModelAnswer(event: Event): boolean {
  return isAnswer(event) && getFunctionResponses(event).length === 0 && !isRequestEvent(event);
}

/** True for an event with content, or with an answer that has no content: it is empty, or the provider has blocked it. */
export function isAnswer({ content, finishReason }: Event): boolean {
  return content !== undefined || finishReason !== undefined;
}

/** True for an event that requests answers from outside. */
export function isRequestEvent(event: Event): boolean {
  return getFunctionCalls(event).some(({ name }) => requestKindOf(name) !== undefined);
}

/** True for a message of a person. An answer to an interrupt is not one. */
export function isUserMessage(event: Event): boolean {
  return event.author === 'user' && event.content !== undefined && getFunctionResponses(event).length === 0;
}
