import type { Event } from '@thole/core';
import { ClientError } from './client-error.ts';
import { errorDebugIn } from './error-debug.ts';
import type { Frame } from './read-frames.ts';

/** What a run's frames say: which events, in order, and where reading has come to. */
export class EventFrames {
  /** `seq` of the last committed event that `take` answered. */
  lastSeq: number;
  /** The run is over: there is nothing to take up again. */
  ended: boolean = false;
  /** The first of two frames of one event: its parts. The second brings the `artifactDelta`, and the id. */
  #half: Event | undefined;

  constructor(after: number) {
    this.lastSeq = after;
  }

  /** What was not whole when the connection was cut comes again. */
  cut(): void {
    this.#half = undefined;
  }

  /** The events that a frame completes: none, one, or two where a first half has no second. The run's error is thrown. */
  take({ data, id, comment }: Frame): Event[] {
    if (comment?.trim() === 'done') this.ended = true;
    if (data === undefined) return this.ended ? this.#rest() : [];
    const event = parse(data);
    if ('error' in event) throw this.#failed(event);
    if (event.partial) return [...this.#rest(), event];
    if (id === undefined) {
      const before = this.#rest();
      this.#half = event;
      return before;
    }
    const seq = Number(id);
    if (seq <= this.lastSeq) return [];
    this.lastSeq = seq;
    if (this.#half?.id !== event.id) return [...this.#rest(), event];
    const { content } = this.#half;
    this.#half = undefined;
    return [{ ...event, content }];
  }

  #rest(): Event[] {
    const rest = this.#half ? [this.#half] : [];
    this.#half = undefined;
    return rest;
  }

  #failed(failure: Failure): ClientError {
    const { error, errorDetails } = failure;
    this.ended = true;
    const { code, retryable, retryAfterMs } = errorDetails ?? {};
    return new ClientError(String(error), { code, retryable, retryAfterMs, debug: errorDebugIn(failure) });
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
    // Said below.
  }
  throw new ClientError('A run’s event is no JSON object.', { code: 'UNREADABLE' });
}
