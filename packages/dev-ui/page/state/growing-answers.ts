import type { Event } from '@thole/core';
import { joinPartial } from './join-partials.ts';
import { changeRun, runs } from './run.ts';
import { after, elapsedMs } from './clock.ts';

/** Minimum time between two updates of the page. Longer if drawing is slow. */
const FRAME_MS = 32;

/** Time left for other work between two updates, as a multiple of the drawing time. */
const REST = 3;

/** Collects partial events, so that a fast model does not redraw the page a thousand times per second. */
export class GrowingAnswers {
  readonly #key: string;
  #waiting: Event[] = [];
  #cancel: (() => void) | undefined;
  /** Duration of the last drawing. */
  #tookMs: number = 0;

  constructor(key: string) {
    this.#key = key;
  }

  add(piece: Event): void {
    this.#waiting.push(piece);
    this.#cancel ??= after(Math.max(FRAME_MS, REST * this.#tookMs), () => this.#show());
  }

  /** The complete event has arrived. */
  end(event: Event): void {
    this.#show();
    const streaming = this.#streaming().filter((each) => each.id !== event.id);
    const state = runs.peek().get(this.#key)?.state;
    changeRun(this.#key, { streaming, ...(state?.kind === 'running' && { state: { ...state, reconnecting: false } }) });
  }

  /** Shows the last pieces. */
  flush(): void {
    this.#show();
  }

  #show(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const pieces = this.#waiting;
    this.#waiting = [];
    if (pieces.length === 0) return;
    const begun = elapsedMs();
    changeRun(this.#key, { streaming: pieces.reduce(joinPartial, this.#streaming()) });
    // Drawn in the following microtasks, laid out after them.
    requestAnimationFrame(() => after(0, () => void (this.#tookMs = Math.min(elapsedMs() - begun, 500))));
  }

  #streaming(): readonly Event[] {
    return runs.peek().get(this.#key)?.streaming ?? [];
  }
}
