import type { Event } from '@thole/core';
import { ClientError } from './client-error.ts';
import { readErrorDebug } from './error-debug.ts';
import type { Frame } from './read-frames.ts';

/** Assembles the events of a run from the frames of its streams, in order and each once. */
export class EventAssembler {
  /** `seq` of the last stored event that `add` returned. */
  lastSeq: number;
  /** True if the run has ended and no further frames follow. */
  ended: boolean = false;
  /** The first of two frames of an event: its content. The second has the `artifactDelta` and the id. */
  #firstHalf: Event | undefined;

  constructor(after: number) {
    this.lastSeq = after;
  }

  /** Prepares for a new connection, which sends the first half of an event again. */
  restart(): void {
    this.ended = false;
    this.#firstHalf = undefined;
  }

  /**
   * Returns the events that a frame completes: zero, one, or two if the second half of an earlier event is missing. Throws the
   * run's error.
   */
  add({ data, id, comment }: Frame): Event[] {
    if (comment?.trim() === 'done') this.ended = true;
    const firstHalf = this.#firstHalf;
    const earlierEvents = firstHalf ? [firstHalf] : [];
    if (data === undefined) return this.ended ? earlierEvents : [];
    const event = parse(data);
    if ('error' in event) {
      this.ended = true;
      throw new ClientError(String(event.error), { ...event.errorDetails, debug: readErrorDebug(event) });
    }
    const isFirstHalf = !event.partial && id === undefined;
    this.#firstHalf = isFirstHalf ? event : undefined;
    if (isFirstHalf) return earlierEvents;
    if (event.partial) return [...earlierEvents, event];
    const seq = Number(id);
    if (seq <= this.lastSeq) return [];
    this.lastSeq = seq;
    return firstHalf?.id === event.id ? [{ ...event, content: firstHalf.content }] : [...earlierEvents, event];
  }
}

interface Failure {
  error: unknown;
  errorDetails?: { code?: string; retryable?: boolean; retryAfterMs?: number };
}

function parse(data: string): Event | Failure {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value) return value as Event | Failure;
  } catch {
    // Throws below.
  }
  throw new ClientError('An event is not a JSON object.', { code: 'INVALID_RESPONSE' });
}
