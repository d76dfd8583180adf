import type { Content, Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { callKey } from '../history/call-key.ts';
import { hasCallsOrAnswers } from '../history/event-kinds.ts';
import type { ContentsRequest } from './contents-request.ts';
import { renderEvents } from './render-events.ts';
import { renderRegular } from './render-regular.ts';
import { safeCut } from './safe-cut.ts';

/**
 * The settled contents of a growing list: the contents of its first events that later events do not change. The only exception
 * is a later answer to one of their calls. Then all contents are built again.
 */
export class SettledContents {
  #contents: Content[] = [];
  #calls = new Set<string>();
  #events: readonly Event[] = [];
  /** Number of settled events. */
  #count = 0;
  /** True if some events could not be settled. */
  #isWaiting = false;

  /** True if the settled events are the first events of this list too. */
  isBeginningOf(events: readonly Event[]): boolean {
    for (let i = 0; i < this.#count; i++) if (events[i]?.id !== this.#events[i]!.id) return false;
    return true;
  }

  /** Returns the contents of the list, which must begin with the settled events. */
  contentsOf(events: readonly Event[], request: ContentsRequest): Content[] {
    this.#events = events;
    // Not after an open call: the rules for all events decide then, because a settled part might be built again each time.
    if (!this.#isWaiting) {
      const out = { contents: this.#contents, calls: this.#calls };
      this.#count = renderRegular(events, this.#count, request, out);
    }
    if (this.#count === events.length) return this.#contents.slice();
    this.#settleRest(events, request);
    this.#isWaiting = this.#count < events.length;
    if (!this.#isWaiting) return this.#contents.slice();
    return this.#contents.concat(renderEvents(events.slice(this.#count), request));
  }

  /** Settles as much of the rest as possible, by the rules for all events. */
  #settleRest(events: readonly Event[], request: ContentsRequest): void {
    if (this.#isReopened(events, request.agentName)) this.#forget();
    const rest = events.slice(this.#count);
    const { count, calls } = safeCut(rest, request);
    if (count === 0) return;
    const safe = count === rest.length ? rest : rest.slice(0, count);
    for (const content of renderEvents(safe, request)) this.#contents.push(content);
    for (const key of calls) this.#calls.add(key);
    this.#count += count;
  }

  /** True if an answer in the rest that the agent sees unchanged belongs to a settled call. */
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
