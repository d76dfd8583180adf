import type { Content, Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { callKey } from '../history/call-key.ts';
import { hasCallsOrAnswers } from '../history/event-kinds.ts';
import type { ContentsRequest } from './contents-request.ts';
import { renderEvents } from './render-events.ts';
import { renderRegular } from './render-regular.ts';
import { safeCut } from './safe-cut.ts';

/**
 * The contents of the first events of a growing list, which nothing that comes later changes: nothing but an answer to a
 * call among them, for which all are made again.
 */
export class SettledContents {
  #contents: Content[] = [];
  #calls = new Set<string>();
  /** The list, how many of its first events are settled, and whether some were left that could not be. */
  #events: readonly Event[] = [];
  #count = 0;
  #isWaiting = false;

  /** Whether the events that are settled are, in this list too, the first. */
  isBeginningOf(events: readonly Event[]): boolean {
    for (let i = 0; i < this.#count; i++) if (events[i]?.id !== this.#events[i]!.id) return false;
    return true;
  }

  /** The contents of the list, which must begin with the events that are settled. */
  contentsOf(events: readonly Event[], request: ContentsRequest): Content[] {
    this.#events = events;
    // What waits is left to the rules for all events: settled in part, it might be made again, with everything, each time.
    if (!this.#isWaiting) {
      const out = { contents: this.#contents, calls: this.#calls };
      this.#count = renderRegular(events, this.#count, request.agentName, out);
    }
    if (this.#count === events.length) return this.#contents.slice();
    this.#settleRest(events, request);
    this.#isWaiting = this.#count < events.length;
    if (!this.#isWaiting) return this.#contents.slice();
    return this.#contents.concat(renderEvents(events.slice(this.#count), request));
  }

  /** Settles what can be of the rest, by the rules for all events. */
  #settleRest(events: readonly Event[], request: ContentsRequest): void {
    if (this.#isReopened(events, request.agentName)) this.#forget();
    const rest = events.slice(this.#count);
    const { count, calls } = safeCut(rest, request.agentName);
    if (count === 0) return;
    const safe = count === rest.length ? rest : rest.slice(0, count);
    for (const content of renderEvents(safe, request)) this.#contents.push(content);
    for (const key of calls) this.#calls.add(key);
    this.#count += count;
  }

  /** Whether an answer in the rest that the agent sees as one, not retold, belongs to a settled call. */
  #isReopened(events: readonly Event[], agentName: string): boolean {
    if (this.#calls.size === 0) return false;
    const called = new Set<string>();
    for (let i = this.#count; i < events.length; i++) {
      const event = events[i]!;
      if (!hasCallsOrAnswers(event)) continue;
      if (event.author === 'user' || event.author === agentName) {
        const keys = getFunctionResponses(event).map(callKey);
        if (keys.some((key) => this.#calls.has(key) && !called.has(key))) return true;
      }
      for (const call of getFunctionCalls(event)) called.add(callKey(call));
    }
    return false;
  }

  #forget(): void {
    this.#contents = [];
    this.#calls.clear();
    this.#count = 0;
  }
}
