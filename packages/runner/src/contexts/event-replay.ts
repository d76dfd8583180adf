import { getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import type { Event } from '@thole/core';

/** The stored events of an agent that runs again. It yields them again, and they are compared instead of stored. */
export class EventReplay {
  readonly #agentName: string;
  readonly #place: string;
  readonly #events: Event[];

  constructor(agentName: string, place: string, events: readonly Event[]) {
    this.#agentName = agentName;
    this.#place = place;
    this.#events = [...events];
  }

  /** True if the agent has not yielded all of its earlier events again. */
  get isActive(): boolean {
    return this.#events.length > 0;
  }

  /**
   * Returns the stored event that this event repeats, or undefined for a new event. Throws `RESUME_DIVERGED` if they differ in
   * author or kind.
   */
  next(event: Event): Event | undefined {
    if (!this.isActive || event.partial || event.seq !== undefined) return undefined;
    if (event.nodeInfo?.path !== undefined && event.nodeInfo.path !== this.#place) return undefined;
    const stored = this.#events.shift()!;
    if (stored.author === event.author && kindOf(stored) === kindOf(event)) return stored;
    throw new TholeError(
      'RESUME_DIVERGED',
      `Agent ${this.#agentName} yielded another event than before (${kindOf(event)} of ${event.author} instead of ` +
        `${kindOf(stored)} of ${stored.author}). Put decisions that depend on state or on the outside into context.step().`,
    );
  }
}

/** The kind of an event: what its parts are. */
function kindOf(event: Event): string {
  if (getFunctionCalls(event).length > 0) return 'calls';
  if (getFunctionResponses(event).length > 0) return 'function responses';
  return event.content ? 'content' : 'an event without content';
}
