import { getFunctionCalls, getFunctionResponses, isFinalResponse } from '@thole/core';
import { isClosingRecord, isProvisional } from '@thole/core/kit';
import type { InterruptLog } from '@thole/core/kit';
import type { Event, Json } from '@thole/core';
import { isAnswer, isModelAnswer, isRequestEvent, isUserMessage, segmentsOf } from './turn-segments.ts';

/**
 * Name in `nodeInfo` of an event that a run has added for pending changes, such as those of `afterRunCallback`. It is not part of the
 * progress of the agents.
 */
export const CHANGES_ONLY = 'changesOnly';

/** A stored result of `context.step`. */
export interface StoredStep {
  readonly path: string;
  readonly name: string;
  /** 1 for the first step with this name at this path. */
  readonly n: number;
  /** Id of the tool call that made the step. Undefined for a step of an agent. */
  readonly callId?: string | undefined;
  readonly result: Json;
}

/** The events of a child run that has paused, or that has ended before its call paused. */
export interface ChildLog {
  readonly callId: string;
  /** 1 for the first child run of the call. */
  readonly n: number;
  readonly invocationId: string;
  readonly events: readonly Event[];
  /** True if the child has ended: it does not run again in the next attempt of the call. */
  readonly isComplete?: boolean | undefined;
}

/** Returns the log of a child run in an event of its parent. */
export function childLogOf({ customMetadata }: Event): ChildLog | undefined {
  return customMetadata?.['child'] as ChildLog | undefined;
}

/** The progress of an invocation before this run, rebuilt from its events. The place of an agent is the path of its call. */
export class Progress {
  readonly #rootPlace: string;
  readonly #interrupts: InterruptLog;
  readonly #invocationId: string;
  readonly #places = new Map<string, Event[]>();
  readonly #steps = new Map<string, Json>();
  readonly #children = new Map<string, ChildLog>();
  #lastMessage: number = 0;
  readonly #unseen: readonly Event[];
  readonly #started = new Set<string>();
  /** Places with an event at them or below them. */
  readonly #begun = new Set<string>();
  readonly #escalated = new Set<string>();
  /** `seq` of the last event at a place or below it. */
  readonly #last = new Map<string, number>();
  /** Events by place: those of the agent itself, and the first event of each agent that it called. Oldest first. */
  readonly #activity = new Map<string, { seq: number; branch: string | undefined }[]>();

  /**
   * `events` are the visible events of the invocation, oldest first. `unseen` are the joined messages that no model has
   * seen, even if an answer was stored after them.
   */
  constructor(p: {
    events: readonly Event[];
    rootPlace: string;
    interrupts: InterruptLog;
    invocationId: string;
    unseen?: readonly Event[];
  }) {
    this.#rootPlace = p.rootPlace;
    this.#interrupts = p.interrupts;
    this.#invocationId = p.invocationId;
    this.#unseen = p.unseen ?? [];
    for (const event of p.events) this.#add(event);
  }

  #add(event: Event): void {
    const { customMetadata } = event;
    const step = customMetadata?.['step'] as StoredStep | undefined;
    if (step) return void this.#steps.set(stepKey(step), step.result);
    const child = childLogOf(event);
    if (child) return void this.#children.set(`${child.n} ${child.callId}`, child);
    const started = customMetadata?.['toolStarted'] as { callId: string; attempt: number } | undefined;
    if (started) return void this.#started.add(`${started.attempt} ${started.callId}`);
    if (isUserMessage(event)) this.#lastMessage = event.seq ?? 0;
    if (event.author === 'user' || event.author === 'system' || isClosingRecord(event)) return;
    if (event.nodeInfo?.[CHANGES_ONLY] === true && event.actions.endOfAgent !== true) return;
    const place = placeOf(event, this.#rootPlace);
    const events = this.#places.get(place);
    if (events) events.push(event);
    else this.#places.set(place, [event]);
    const { branch, seq = 0 } = event;
    if (!isRequestEvent(event)) this.#addActivity(place, { seq, branch });
    for (const each of placesUpwards(place)) {
      this.#last.set(each, seq);
      if (!this.#begun.has(each)) this.#addActivity(parentOf(each), { seq, branch });
      this.#begun.add(each);
      if (event.actions.escalate === true) this.#escalated.add(each);
    }
  }

  /** Returns the events of the agents at this place, without those of the agents that they call. */
  at(place: string): readonly Event[] {
    return this.#places.get(place) ?? [];
  }

  /** True if an agent at this place or below it has an event. */
  hasBegun(place: string): boolean {
    return this.#begun.has(place);
  }

  /** True if an event at this place or below it ends the enclosing loop. */
  hasEscalated(place: string): boolean {
    return this.#escalated.has(place);
  }

  /**
   * True if the call of an agent at this place has ended: an `LlmAgent` has answered; after any other agent, the agent that called
   * it has a later event. `branch` is the branch of the call.
   */
  hasEnded(place: string, isLlmAgent: boolean, branch?: string): boolean {
    const events = this.at(place);
    if (events.some(({ actions }) => actions.endOfAgent === true)) return true;
    if (this.isOpen(place)) return false;
    if (!isLlmAgent) return this.#hasCallerContinued(place, branch);
    const { events: own, transferTo } = segmentsOf(events).at(-1)!;
    // The target of a transfer is an LlmAgent at the same place, or another agent at its own place.
    if (transferTo !== undefined) return this.at(`${place}/${transferTo}`).some(({ actions }) => actions.endOfAgent);
    const last = own.findLast(isAnswer);
    if (!last || !isFinalResponse(last) || isRequestEvent(last) || hasOpenCall(own)) return false;
    return !this.hasNewAnswer(place, last) && !(place === this.#rootPlace && this.hasNewMessage(last));
  }

  #addActivity(place: string, act: { seq: number; branch: string | undefined }): void {
    const activity = this.#activity.get(place);
    if (activity) activity.push(act);
    else this.#activity.set(place, [act]);
  }

  /** True if the agent that called this agent has a later event in the branch of the call. */
  #hasCallerContinued(place: string, branch: string | undefined): boolean {
    const last = this.#last.get(place) ?? 0;
    const activity = this.#activity.get(parentOf(place)) ?? [];
    for (let i = activity.length - 1; i >= 0 && activity[i]!.seq > last; i--) {
      const actBranch = activity[i]!.branch;
      if (branch === undefined || actBranch === branch || actBranch?.startsWith(`${branch}.`)) return true;
    }
    return false;
  }

  /** True if an interrupt at this place or below it is open. */
  isOpen(place: string): boolean {
    for (const { event } of this.#interrupts.open)
      if (event.invocationId === this.#invocationId && isBelow(placeOf(event, this.#rootPlace), place)) return true;
    return false;
  }

  /** True if an interrupt at this place got its answer after the event. */
  hasNewAnswer(place: string, event: Event): boolean {
    for (const { event: request, answer } of this.#interrupts.answered()) {
      if (request.invocationId !== this.#invocationId || placeOf(request, this.#rootPlace) !== place) continue;
      if ((answer?.event.seq ?? 0) > (event.seq ?? 0)) return true;
    }
    return false;
  }

  /** True if a message has joined the invocation that the model had not seen when it answered with this event. */
  hasNewMessage(event: Event): boolean {
    return this.#lastMessage > (event.seq ?? 0) || this.#unseen.length > 0;
  }

  /** Returns the messages that were stored before the event, but that no model has seen. */
  unseenBefore(event: Event): readonly Event[] {
    return this.#unseen.filter(({ seq = 0 }) => seq < (event.seq ?? 0));
  }

  /** Returns the result of a step, or undefined if it has none. */
  resultOf(step: Omit<StoredStep, 'result'>): Json | undefined {
    return this.#steps.get(stepKey(step));
  }

  /** Returns the log of the n-th child run of a call. Undefined if it has none. */
  childOf(callId: string, n: number): ChildLog | undefined {
    return this.#children.get(`${n} ${callId}`);
  }

  /** True if an event records the start of this call's tool. `attempt` is the number of answers to its requests at the start. */
  hasStarted(callId: string, attempt: number): boolean {
    return this.#started.has(`${attempt} ${callId}`);
  }
}

/** True if a call of the model's last answer has no answer, except a call that is answered later. */
function hasOpenCall(events: readonly Event[]): boolean {
  const index = events.findLastIndex(isModelAnswer);
  const answer = events[index];
  if (!answer || answer.errorCode !== undefined) return false;
  const later = events.slice(index + 1);
  return getFunctionCalls(answer).some(
    ({ id }) =>
      id !== undefined &&
      !answer.longRunningToolIds?.includes(id) &&
      !later.some((event) =>
        getFunctionResponses(event).some(
          (response) => response.id === id && !isProvisional(event, response, { isLongRunning: false }),
        ),
      ),
  );
}

/** Returns the place of the agent that made an event. */
export function placeOf(event: Event, rootPlace: string): string {
  return event.nodeInfo?.path ?? rootPlace;
}

/** True if `place` is equal to `above` or below it. */
export function isBelow(place: string, above: string): boolean {
  return place === above || place.startsWith(`${above}/`);
}

/** Returns the place above. Empty for the agent that began the invocation. */
function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')));
}

/** Yields the place, and then each place above it. */
function* placesUpwards(place: string): Generator<string, void> {
  yield place;
  for (let end = place.lastIndexOf('/'); end > 0; end = place.lastIndexOf('/', end - 1)) yield place.slice(0, end);
}

function stepKey({ path, name, n, callId }: Omit<StoredStep, 'result'>): string {
  return JSON.stringify([path, callId ?? null, name, n]);
}
