import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';
import type { LoopRounds } from '../hooks/flow-support.ts';
import type { ForcedTurns } from '../invocation/event-loop-turns.ts';
import type { LlmCalls } from '../invocation/llm-calls.ts';

const MOST_ROUNDS = 1_000;

/** Counts the rounds of one loop in which nothing was waited for and no model was called. A timer tells whether there was a wait. */
export class CountedRounds implements LoopRounds {
  readonly #p: { runtime: Runtime; calls: LlmCalls; forced: ForcedTurns; agentName: string };
  #rounds = 0;
  #callsMade: number;
  #hasWaited = false;
  #cancel: CancelTimer;

  constructor(p: { runtime: Runtime; calls: LlmCalls; forced: ForcedTurns; agentName: string }) {
    this.#p = p;
    this.#callsMade = p.calls.made;
    this.#cancel = this.#watch();
  }

  next(): void {
    const { calls, agentName } = this.#p;
    if (calls.made !== this.#callsMade || this.#hasWaited) {
      this.#rounds = 0;
      this.#callsMade = calls.made;
      if (this.#hasWaited) this.#cancel = this.#watch();
      this.#hasWaited = false;
    }
    if (this.#rounds++ < MOST_ROUNDS) return;
    throw new TholeError(
      'LOOP_LIMIT',
      `Agent ${agentName} ran ${MOST_ROUNDS} rounds in a row without a model call or a wait. Set maxIterations, or end the loop with an event that has actions.escalate.`,
    );
  }

  close(): void {
    this.#cancel();
  }

  #watch(): CancelTimer {
    const { runtime, forced } = this.#p;
    return runtime.timer(0, () => {
      // In a turn that the run asked for, the loop itself has waited for nothing.
      if (forced.count > 0) this.#cancel = this.#watch();
      else this.#hasWaited = true;
    });
  }
}
