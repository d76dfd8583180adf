import type { Agent, Event, InvocationContext } from '@thole/core';
import { flowSupport } from '../hooks/flow-support.ts';

/** The result of an agent for the workflow agent that ran it. */
export interface SubAgentResult {
  /** True if one of the events ends the enclosing loop. */
  escalated: boolean;
  /** True if the agent waits for an answer from outside. Then the next agent must not begin. */
  isPaused: boolean;
}

/** Runs a sub-agent and yields its events. */
export async function* runSubAgent(
  context: InvocationContext,
  agent: Agent,
): AsyncGenerator<Event, SubAgentResult, Event> {
  const support = flowSupport(context);
  const { steps, place } = support.callAgent(agent);
  let escalated = support.progress?.hasEscalated(place) ?? false;
  try {
    let step = await steps.next();
    while (!step.done) {
      const answer = (yield step.value) as Event | undefined;
      const stored = answer ?? step.value;
      if (!stored.partial) escalated ||= stored.actions.escalate === true;
      step = await steps.next(answer);
    }
  } finally {
    // Ends the agent if the consumer left. Not awaited: an agent that ignores its signal must not delay the end of the run.
    steps.return().catch(noop);
  }
  return { escalated, isPaused: support.isPaused(place) };
}

function noop(): void {}
