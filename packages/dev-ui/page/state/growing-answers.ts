import type { Event } from '@thole/core';
import { joinPartial } from './join-partials.ts';
import { changeRun, runs } from './run.ts';

/** Partials are put on the page together, at most this often; less often where drawing takes long. */
const FRAME_MS = 32;

/** Between two drawings the page has so many times as long for everything else. */
const REST = 3;

/** Partials on their way to the page: gathered, so that a fast model does not draw it a thousand times a second. */
export class GrowingAnswers {
  readonly #key: string;
  #waiting: Event[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How long the page took to draw the pieces before. */
  #tookMs: number = 0;

  constructor(key: string) {
    this.#key = key;
  }

  add(piece: Event): void {
    this.#waiting.push(piece);
    this.#timer ??= setTimeout(() => this.#show(), Math.max(FRAME_MS, REST * this.#tookMs));
  }

  /** The whole event is here. */
  end(event: Event): void {
    this.#show();
    const streaming = this.#streaming().filter((each) => each.id !== event.id);
    const state = runs.peek().get(this.#key)?.state;
    changeRun(this.#key, { streaming, ...(state?.kind === 'running' && { state: { ...state, reconnecting: false } }) });
  }

  /** Puts the last pieces on the page. */
  flush(): void {
    this.#show();
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pieces = this.#waiting;
    this.#waiting = [];
    if (pieces.length === 0) return;
    const begun = performance.now();
    changeRun(this.#key, { streaming: pieces.reduce(joinPartial, this.#streaming()) });
    // Drawn in the microtasks that follow, laid out after them.
    requestAnimationFrame(() => setTimeout(() => (this.#tookMs = Math.min(performance.now() - begun, 500)), 0));
  }

  #streaming(): readonly Event[] {
    return runs.peek().get(this.#key)?.streaming ?? [];
  }
}
