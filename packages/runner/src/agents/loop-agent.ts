import { TholeError } from '@thole/core';
import type { Event, InvocationContext } from '@thole/core';
import { flowSupport } from '../hooks/flow-support.ts';
import { markWorkflowAgent } from '../request/is-workflow-agent.ts';
import { BaseAgent } from './base-agent.ts';
import type { BaseAgentOptions } from './base-agent.ts';
import { runSubAgent } from './run-sub-agent.ts';

/** Options of `LoopAgent`. */
export interface LoopAgentOptions extends BaseAgentOptions {
  /**
   * Maximum number of rounds. Default: none; the loop then ends with an event that has `escalate`, at the run's
   * `maxLlmCalls`, or with `LOOP_LIMIT` after 1,000 consecutive rounds without a model call or a wait.
   */
  maxIterations?: number | undefined;
}

/**
 * Runs its agents one after another, repeatedly, until one of their events has `escalate`, one waits for a call that
 * is answered later, or `maxIterations` rounds are done.
 */
export class LoopAgent extends BaseAgent {
  readonly maxIterations: number | undefined;

  constructor(options: LoopAgentOptions) {
    super(options, ['maxIterations']);
    markWorkflowAgent(this, LoopAgent);
    const { maxIterations } = options;
    if (maxIterations !== undefined && !(Number.isSafeInteger(maxIterations) && maxIterations > 0)) {
      throw new TholeError('INVALID_INPUT', `Agent ${this.name}: maxIterations must be a positive integer.`);
    }
    // Without agents, the loop would never end.
    if (this.subAgents.length === 0) {
      throw new TholeError('INVALID_INPUT', `Agent ${this.name}: subAgents must have at least one agent.`);
    }
    this.maxIterations = maxIterations;
  }

  async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    const rounds = flowSupport(context).loopRounds();
    try {
      for (let round = 0; round < (this.maxIterations ?? Infinity); round++) {
        // In a resumed run, rounds of earlier runs are repeated from stored events and do not count for `LOOP_LIMIT`.
        if (!this.#hasRunBefore(context, round)) rounds.next();
        for (const agent of this.subAgents) {
          if (context.ended) return;
          const { escalated, isPaused } = yield* runSubAgent(context, agent);
          if (escalated || isPaused) return;
        }
      }
    } finally {
      rounds.close();
    }
  }

  /** True if an earlier run of the invocation has begun the round after this one. */
  #hasRunBefore(context: InvocationContext, round: number): boolean {
    const { place, progress } = flowSupport(context);
    return progress?.hasBegun(`${place}/${this.subAgents[0]!.name}#${round + 2}`) === true;
  }
}
