import type { Event, InvocationContext } from '@thole/core';
import { markWorkflowAgent } from '../request/is-workflow-agent.ts';
import { BaseAgent } from './base-agent.ts';
import type { BaseAgentOptions } from './base-agent.ts';
import { runSubAgent } from './run-sub-agent.ts';

/** Options of `SequentialAgent`. Its `subAgents` run in their order. */
export type SequentialAgentOptions = BaseAgentOptions;

/** Runs its agents one after another, each once. Stops if one fails or waits for a call that is answered later. */
export class SequentialAgent extends BaseAgent {
  constructor(options: SequentialAgentOptions) {
    super(options);
    markWorkflowAgent(this, SequentialAgent);
  }

  async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    for (const agent of this.subAgents) {
      if (context.ended) return;
      const { isPaused } = yield* runSubAgent(context, agent);
      if (isPaused) return;
    }
  }
}
