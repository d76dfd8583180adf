import { TholeError } from '@thole/core';
import type { Event, InvocationContext } from '@thole/core';
import { flowSupport } from '../hooks/flow-support.ts';
import { BaseAgent } from './base-agent.ts';
import type { BaseAgentOptions } from './base-agent.ts';
import { follow } from './follow.ts';

/** What every agent has, and how often the loop may go round. */
export interface LoopAgentOptions extends BaseAgentOptions {
  /**
   * Maximum number of rounds. Default: none; then an event with `escalate` ends the loop, or the run's `maxLlmCalls`, or
   * `LOOP_LIMIT` after 1,000 rounds in a row without a model call or a wait.
   */
  maxIterations?: number | undefined;
}

/**
 * Runs its agents one after another, again and again, until one of their events has `escalate`, one waits for a call that
 * is answered later, or `maxIterations` rounds are done.
 */
export class LoopAgent extends BaseAgent {
  readonly maxIterations: number | undefined;

  constructor(options: LoopAgentOptions) {
    super(options, ['maxIterations']);
    const { maxIterations } = options;
    if (maxIterations !== undefined && !(Number.isSafeInteger(maxIterations) && maxIterations > 0)) {
      throw new TholeError('INVALID_INPUT', `Agent ${this.name}: maxIterations must be a positive integer.`);
    }
    // Nothing would ever end it, and nothing would wait.
    if (this.subAgents.length === 0) {
      throw new TholeError('INVALID_INPUT', `Agent ${this.name}: subAgents must hold at least one agent.`);
    }
    this.maxIterations = maxIterations;
  }

  async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    const rounds = flowSupport(context).loopRounds();
    try {
      for (let round = 0; round < (this.maxIterations ?? Infinity); round++) {
        rounds.next();
        for (const agent of this.subAgents) {
          if (context.ended) return;
          const { escalated, isPaused } = yield* follow(context.runAgent(agent));
          if (escalated || isPaused) return;
        }
      }
    } finally {
      rounds.close();
    }
  }
}
