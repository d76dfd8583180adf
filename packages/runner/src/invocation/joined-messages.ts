import { getFunctionResponses } from '@thole/core';
import type { Event } from '@thole/core';

/** The messages and answers that other callers have added to a run. */
export class JoinedMessages {
  /** `seq` of the newest message, and of the newest event that a model has seen. */
  #newest = 0;
  #seen = 0;
  /** True if an answer has joined, and the invocation was not continued since. */
  #hasAnswer = false;

  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }
  /** True if an answer has joined, or a message that no model has seen. */
  get hasUnseen(): boolean {
    return this.#hasAnswer || this.#newest > this.#seen;
  }

  add(event: Event): void {
    if (getFunctionResponses(event).length > 0) this.#hasAnswer = true;
    else this.#newest = Math.max(this.#newest, event.seq ?? 0);
  }

  /** Called when a request to a model is built, with the `seq` of the newest event. */
  modelSees(seq: number): void {
    this.#seen = seq;
  }

  /** Called when the invocation continues. */
  continued(): void {
    this.#hasAnswer = false;
  }
}
