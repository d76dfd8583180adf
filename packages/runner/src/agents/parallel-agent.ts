import type { Event, InvocationContext } from '@thole/core';
import { flowSupport } from '../hooks/flow-support.ts';
import { markWorkflowAgent } from '../request/is-workflow-agent.ts';
import { BaseAgent } from './base-agent.ts';
import type { BaseAgentOptions } from './base-agent.ts';

/** Options of `ParallelAgent`. Its `subAgents` run at the same time. */
export type ParallelAgentOptions = BaseAgentOptions;

/**
 * Runs its agents at the same time, each in a separate branch that does not see the others. Events are yielded as
 * they are ready. If one agent fails, the ready events of the others are stored before the error is thrown.
 */
export class ParallelAgent extends BaseAgent {
  constructor(options: ParallelAgentOptions) {
    super(options);
    markWorkflowAgent(this, ParallelAgent);
  }

  async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
    const prefix = context.branch === undefined ? this.name : `${context.branch}.${this.name}`;
    const ready: Ready[] = [];
    let wake = noop;
    let running = 0;
    let failure: { error: unknown } | undefined;

    const advance = (steps: Steps, next: Promise<IteratorResult<Event, void>>): void => {
      running++;
      next
        .then(
          (step) => {
            if (!step.done) ready.push({ steps, event: step.value });
          },
          (error: unknown) => {
            failure ??= { error };
          },
        )
        .finally(() => {
          running--;
          wake();
        });
    };

    const branches = this.subAgents.map(
      (agent) => flowSupport(context).callAgent(agent, { branch: `${prefix}.${agent.name}` }).steps,
    );
    for (const steps of branches) advance(steps, steps.next());
    try {
      // `ready` has at most one event of each branch, and a branch continues after its event is stored. So a slow reader
      // delays all branches and loses no event.
      for (;;) {
        const first = ready.shift();
        if (first) {
          const stored = yield first.event;
          if (!failure) advance(first.steps, first.steps.next(stored));
        } else {
          if (failure) throw failure.error;
          if (running === 0) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      // Not awaited: an agent that ignores its signal must not delay the end of its run.
      for (const steps of branches) steps.return().catch(noop);
    }
  }
}

type Steps = AsyncGenerator<Event, void, Event | undefined>;

interface Ready {
  readonly steps: Steps;
  readonly event: Event;
}

function noop(): void {}
