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
    if (data === undefined) return this.ended ? this.#takeFirstHalf() : [];
    const event = parse(data);
    if ('error' in event) throw this.#toError(event);
    if (event.partial) return [...this.#takeFirstHalf(), event];
    if (id === undefined) {
      const earlierEvents = this.#takeFirstHalf();
      this.#firstHalf = event;
      return earlierEvents;
    }
    const seq = Number(id);
    if (seq <= this.lastSeq) return [];
    this.lastSeq = seq;
    if (this.#firstHalf?.id !== event.id) return [...this.#takeFirstHalf(), event];
    const { content } = this.#firstHalf;
    this.#firstHalf = undefined;
    return [{ ...event, content }];
  }

  #takeFirstHalf(): Event[] {
    const events = this.#firstHalf ? [this.#firstHalf] : [];
    this.#firstHalf = undefined;
    return events;
  }

  #toError(failure: Failure): ClientError {
    const { error, errorDetails } = failure;
    this.ended = true;
    const { code, retryable, retryAfterMs } = errorDetails ?? {};
    return new ClientError(String(error), { code, retryable, retryAfterMs, debug: readErrorDebug(failure) });
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
  throw new ClientError('An event of the run is not a JSON object.', { code: 'INVALID_RESPONSE' });
}
