import type { Event, SessionRef, SessionService } from '@thole/core';
import { frameAfter } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';
import { StoredEvents } from './stored-events.ts';
import type { StoredEventsOptions } from './stored-events.ts';

/** Options of `StoredRunReader`. */
export interface StoredRunReaderOptions extends Omit<StoredEventsOptions, 'withUserEvents'> {
  toErrorFrame: (error: unknown) => string;
}

/** Encodes the events of `StoredEvents` as frames. */
export class StoredRunReader implements FrameSource {
  readonly #events: StoredEvents;
  readonly #toErrorFrame: (error: unknown) => string;
  #ended: boolean = false;

  private constructor(events: StoredEvents, p: StoredRunReaderOptions) {
    this.#events = events;
    this.#toErrorFrame = p.toErrorFrame;
  }

  /** Throws `NOT_FOUND` if the invocation is not active and the session has no events of it. */
  static async open(p: StoredRunReaderOptions): Promise<StoredRunReader> {
    return new StoredRunReader(await StoredEvents.open(p), p);
  }

  async next(): Promise<string | undefined> {
    if (this.#ended) return undefined;
    try {
      const { done, value } = await this.#events.next();
      if (!done) return eventFrames(value, { split: true });
      this.#ended = true;
      return frameAfter(value);
    } catch (error) {
      this.#ended = true;
      return this.#events.closed ? undefined : this.#toErrorFrame(error);
    }
  }

  close(): void {
    this.#events.close();
  }
}

/** Returns the stored events of a run after a `seq`. The user's events are left out, unless `withUserEvents` is true. */
export async function readStoredEvents(p: {
  sessions: SessionService;
  ref: SessionRef;
  invocationId: string;
  after: number;
  withUserEvents?: boolean | undefined;
}): Promise<readonly Event[]> {
  const session = await p.sessions.getSession({ ...p.ref, afterSeq: p.after });
  const isShown = ({ author }: Event): boolean => p.withUserEvents === true || author !== 'user';
  return (session?.events ?? []).filter((event) => event.invocationId === p.invocationId && isShown(event));
}
