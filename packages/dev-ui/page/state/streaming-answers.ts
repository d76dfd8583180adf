import type { Event } from '@thole/core';
import { joinPartial } from './join-partials.ts';
import { changeRun, runs } from './run.ts';
import { after, elapsedMs } from './clock.ts';

/** Minimum time between two updates of the page. The time is longer if drawing is slow. */
const FRAME_MS = 32;

/** Time for other work between two updates, as a multiple of the drawing time. */
const IDLE_FACTOR = 3;

/** Collects partial events and shows them in intervals, so that a fast model does not redraw the page too often. */
export class StreamingAnswers {
  readonly #key: string;
  #pieces: Event[] = [];
  #cancel: (() => void) | undefined;
  /** Duration of the last drawing. */
  #drawingMs: number = 0;

  constructor(key: string) {
    this.#key = key;
  }

  add(piece: Event): void {
    this.#pieces.push(piece);
    this.#cancel ??= after(Math.max(FRAME_MS, IDLE_FACTOR * this.#drawingMs), () => this.flush());
  }

  /** Removes the answer whose complete event has arrived. */
  end(event: Event): void {
    this.flush();
    const streaming = this.#streaming().filter((each) => each.id !== event.id);
    const state = runs.peek().get(this.#key)?.state;
    changeRun(this.#key, { streaming, ...(state?.kind === 'running' && { state: { ...state, reconnecting: false } }) });
  }

  /** Shows the last pieces. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const pieces = this.#pieces;
    this.#pieces = [];
    if (pieces.length === 0) return;
    const startedAt = elapsedMs();
    changeRun(this.#key, { streaming: pieces.reduce(joinPartial, this.#streaming()) });
    // The page is drawn in the next microtasks and laid out after them.
    requestAnimationFrame(() => after(0, () => void (this.#drawingMs = Math.min(elapsedMs() - startedAt, 500))));
  }

  #streaming(): readonly Event[] {
    return runs.peek().get(this.#key)?.streaming ?? [];
  }
}
