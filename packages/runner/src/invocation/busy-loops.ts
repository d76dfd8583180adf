import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';
import type { LlmCalls } from '../flow/llm-calls.ts';
import type { LoopRounds } from '../hooks/flow-support.ts';

/** Time after which a run that blocks the event loop waits for one turn of it. */
const MAX_BLOCKING_MS = 50;
const MAX_IDLE_ROUNDS = 1_000;

/** Number of event loop turns that the runs of one runner wait for at the moment. */
export interface ForcedTurns {
  count: number;
}

/** Gives the event loop a turn when a run has blocked it for 50 ms, so that timers, aborts and other requests are handled. */
export class EventLoopTurns {
  readonly #runtime: Runtime;
  readonly #forced: ForcedTurns;
  #lastAt: number;

  constructor(runtime: Runtime, forced: ForcedTurns) {
    this.#runtime = runtime;
    this.#forced = forced;
    this.#lastAt = runtime.monotonic();
  }

  /** Returns a wait for one turn if it is due. Undefined if it is not, or if the runtime has no such wait. */
  next(): Promise<void> | undefined {
    const runtime = this.#runtime;
    if (!runtime.eventLoopTurn || runtime.monotonic() - this.#lastAt < MAX_BLOCKING_MS) return undefined;
    return this.#wait();
  }

  /** Returns a counter for the rounds of one loop agent. */
  loopRounds(agentName: string, calls: LlmCalls): LoopRounds {
    return new IdleRounds({ runtime: this.#runtime, forced: this.#forced, agentName, calls });
  }

  async #wait(): Promise<void> {
    this.#forced.count++;
    await this.#runtime.eventLoopTurn?.();
    this.#forced.count--;
    this.#lastAt = this.#runtime.monotonic();
  }
}

/** Counts the consecutive rounds of a loop without a model call or a wait. A timer shows whether the loop has waited. */
class IdleRounds implements LoopRounds {
  readonly #p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls };
  #rounds = 0;
  #callsMade: number;
  #hasWaited = false;
  #cancel: CancelTimer;

  constructor(p: { runtime: Runtime; forced: ForcedTurns; agentName: string; calls: LlmCalls }) {
    this.#p = p;
    this.#callsMade = p.calls.made;
    this.#cancel = this.#startTimer();
  }

  next(): void {
    const { calls, agentName } = this.#p;
    if (calls.made !== this.#callsMade || this.#hasWaited) {
      this.#rounds = 0;
      this.#callsMade = calls.made;
      if (this.#hasWaited) this.#cancel = this.#startTimer();
      this.#hasWaited = false;
    }
    if (this.#rounds++ < MAX_IDLE_ROUNDS) return;
    throw new TholeError(
      'LOOP_LIMIT',
      `Agent ${agentName} ran ${MAX_IDLE_ROUNDS} rounds in a row without a model call or a wait. ` +
        'Set maxIterations, or end the loop with an event that has actions.escalate.',
    );
  }

  close(): void {
    this.#cancel();
  }

  #startTimer(): CancelTimer {
    const { runtime, forced } = this.#p;
    return runtime.timer(0, () => {
      // A turn that `EventLoopTurns` has forced is not a wait of the loop.
      if (forced.count > 0) this.#cancel = this.#startTimer();
      else this.#hasWaited = true;
    });
  }
}
