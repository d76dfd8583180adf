import type { Event } from '@thole/core';
import { StoredEvents } from '../runs/stored-events.ts';
import type { StoredEventsOptions } from '../runs/stored-events.ts';
import type { RunFailure, RunOutcome } from './event-encoder.ts';
import { failureOfRecord } from '../runs/end-frames.ts';
import { storedOutcome } from './outcome-of.ts';
import type { RunEvents } from './run-events.ts';

/** The stored events of an invocation from its start. Any process may run it. */
export class StoredRunEvents implements RunEvents {
  readonly #events: StoredEvents;
  readonly #options: Omit<StoredEventsOptions, 'after'>;

  private constructor(events: StoredEvents, options: Omit<StoredEventsOptions, 'after'>) {
    this.#events = events;
    this.#options = options;
  }

  /** Throws `NOT_FOUND` if the invocation is not active and the session has no events of it. */
  static async open(p: Omit<StoredEventsOptions, 'after' | 'withUserEvents'>): Promise<StoredRunEvents> {
    return new StoredRunEvents(await StoredEvents.open({ ...p, after: 0, withUserEvents: true }), p);
  }

  async next(): Promise<IteratorResult<Event, RunOutcome | RunFailure>> {
    const { done, value } = await this.#events.next();
    if (!done) return { done: false, value };
    if (value) return { done: true, value: failureOfRecord(value) };
    const { sessions, ref, invocationId } = this.#options;
    return { done: true, value: await storedOutcome(sessions, ref, invocationId) };
  }

  close(): void {
    this.#events.close();
  }
}
