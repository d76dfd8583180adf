import { sessionKeyOf } from '@thole/core/kit';
import type { Event, SessionRef, EventWatcher } from '@thole/core';
import type { EventList } from './event-list.ts';

/** Hands events over as they are stored. A session that is deleted and made anew is watched from its first event. */
export class SessionWatchers implements EventWatcher {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #find: (key: SessionRef) => { readonly incarnation: string; readonly events: EventList } | undefined;

  constructor(find: (key: SessionRef) => { readonly incarnation: string; readonly events: EventList } | undefined) {
    this.#find = find;
  }

  /** Wakes who waits for this session. */
  notify(key: SessionRef): void {
    if (this.#waiting.size === 0) return;
    const id = sessionKeyOf(key);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    for (const wake of waiting ?? []) wake();
  }

  async *watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event> {
    let next = afterSeq;
    let incarnation = this.#find(key)?.incarnation;
    while (!signal.aborted) {
      const session = this.#find(key);
      if (session && session.incarnation !== incarnation) {
        next = incarnation === undefined ? afterSeq : 0;
        ({ incarnation } = session);
      }
      const event = session?.events.at(next);
      if (event) {
        next++;
        yield event;
      } else {
        await this.#change(key, signal);
      }
    }
  }

  #change(key: SessionRef, signal: AbortSignal): Promise<void> {
    const id = sessionKeyOf(key);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
