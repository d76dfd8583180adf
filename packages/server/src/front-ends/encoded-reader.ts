import type { FrameSource } from '../runs/sse-response.ts';
import type { EventEncoder, RunFailure } from './event-encoder.ts';
import type { RunEvents } from './run-events.ts';

/** Encodes the events of a run as frames, for one reader. */
export class EncodedReader implements FrameSource {
  readonly #events: RunEvents;
  readonly #encoder: EventEncoder;
  readonly #invocationId: string;
  readonly #onError: (error: unknown) => RunFailure;
  #hasStarted: boolean = false;
  #ended: boolean = false;

  /** `onError` returns the failure to send for the error of a run. */
  constructor(
    events: RunEvents,
    p: { encoder: EventEncoder; invocationId: string; onError: (error: unknown) => RunFailure },
  ) {
    this.#events = events;
    this.#encoder = p.encoder;
    this.#invocationId = p.invocationId;
    this.#onError = p.onError;
  }

  async next(): Promise<string | undefined> {
    let text = this.#hasStarted ? '' : this.#encoder.start(this.#invocationId);
    this.#hasStarted = true;
    while (text === '' && !this.#ended) text = await this.#nextText();
    return text === '' ? undefined : text;
  }

  close(): void {
    this.#ended = true;
    this.#events.close();
  }

  async #nextText(): Promise<string> {
    try {
      const { done, value } = await this.#events.next();
      if (!done) return this.#encoder.event(value);
      this.#ended = true;
      return 'code' in value ? this.#encoder.error(value) : this.#encoder.end(value);
    } catch (error) {
      if (this.#ended) return '';
      this.#ended = true;
      this.#events.close();
      return this.#encoder.error(this.#onError(error));
    }
  }
}
