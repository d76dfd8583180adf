import type { Event } from '@thole/core';
import { joinPartial } from './join-partials.ts';
import { changeRun, runs } from './run.ts';

/** Partials are put on the page together, this often. */
const FRAME_MS = 32;

/** Partials on their way to the page: gathered, so that a fast model does not draw it a thousand times a second. */
export class GrowingAnswers {
  readonly #key: string;
  #waiting: Event[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  add(piece: Event): void {
    this.#waiting.push(piece);
    this.#timer ??= setTimeout(() => this.#show(), FRAME_MS);
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
    if (pieces.length > 0) changeRun(this.#key, { streaming: pieces.reduce(joinPartial, this.#streaming()) });
  }

  #streaming(): readonly Event[] {
    return runs.peek().get(this.#key)?.streaming ?? [];
  }
}
