import type { Content, Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { hasCallsOrAnswers } from '../history/event-kinds.ts';
import { callKey } from '../history/call-key.ts';
import type { ContentsRequest } from './contents-request.ts';
import { renderEvents } from './render-events.ts';
import { safeCut } from './safe-cut.ts';

/**
 * The contents of the first events of a growing list, which nothing that comes later changes: nothing but an answer to a
 * call among them, for which all are made again.
 */
export class SettledContents {
  #contents: Content[] = [];
  #ids: string[] = [];
  #calls = new Set<string>();

  /** Whether the events that are settled are, in this list too, the first. */
  isBeginningOf(events: readonly Event[]): boolean {
    return this.#ids.every((id, i) => events[i]?.id === id);
  }

  /** The contents of the list, which must begin with the events that are settled. */
  contentsOf(events: readonly Event[], request: ContentsRequest): Content[] {
    let tail = events.slice(this.#ids.length);
    if (this.#isReopenedBy(tail, request.agentName)) {
      this.#forget();
      tail = events.slice();
    }
    const { count, calls } = safeCut(tail, request.agentName);
    if (count > 0) this.#settle(count === tail.length ? tail : tail.slice(0, count), calls, request);
    if (count === tail.length) return this.#contents.slice();
    return this.#contents.concat(renderEvents(tail.slice(count), request));
  }

  #settle(events: readonly Event[], calls: readonly string[], request: ContentsRequest): void {
    for (const content of renderEvents(events, request)) this.#contents.push(content);
    for (const event of events) this.#ids.push(event.id);
    for (const key of calls) this.#calls.add(key);
  }

  /** Whether an answer that the agent sees as one, not retold, belongs to a settled call. */
  #isReopenedBy(tail: readonly Event[], agentName: string): boolean {
    if (this.#calls.size === 0) return false;
    const called = new Set<string>();
    for (const event of tail) {
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
    this.#ids = [];
    this.#calls.clear();
  }
}
