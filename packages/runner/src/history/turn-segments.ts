import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, FunctionCall } from '@thole/core';

/** The events of one agent at a place, until it transferred to another agent. */
export interface TurnSegment {
  readonly events: readonly Event[];
  /** Name of the agent that took over. Undefined if the agent has not transferred. */
  readonly transferTo: string | undefined;
}

/** Returns the segments of a place, one for each agent that acted there in turn. At least one. */
export function segmentsOf(events: readonly Event[]): TurnSegment[] {
  const segments: TurnSegment[] = [];
  let start = 0;
  let turn: { calls: FunctionCall[]; targets: Map<string, string> } | undefined;
  const end = (index: number): void => {
    const call = turn?.calls.find(({ id }) => id !== undefined && turn!.targets.has(id));
    if (call) {
      segments.push({ events: events.slice(start, index), transferTo: turn!.targets.get(call.id!) });
      start = index;
    }
    turn = undefined;
  };
  for (const [index, event] of events.entries()) {
    if (isModelAnswer(event)) {
      end(index);
      turn = { calls: getFunctionCalls(event), targets: new Map() };
      continue;
    }
    const target = event.actions.transferToAgent;
    if (target === undefined) continue;
    for (const response of getFunctionResponses(event)) {
      if (response.id !== undefined && !isProvisional(event, response, { isLongRunning: false }))
        turn?.targets.set(response.id, target);
    }
  }
  end(events.length);
  segments.push({ events: events.slice(start), transferTo: undefined });
  // The last segment is empty after a transfer if the target has no events yet.
  return segments;
}

/** True for an event with an answer of the model: not a tool's answer and not a request to a person. */
export function isModelAnswer(event: Event): boolean {
  return event.content !== undefined && getFunctionResponses(event).length === 0 && !isRequestEvent(event);
}

/** True for an event that requests answers from outside. */
export function isRequestEvent(event: Event): boolean {
  return getFunctionCalls(event).some(({ name }) => requestKindOf(name) !== undefined);
}

/** True for a message of a person. An answer to an interrupt is not one. */
export function isUserMessage(event: Event): boolean {
  return event.author === 'user' && event.content !== undefined && getFunctionResponses(event).length === 0;
}
