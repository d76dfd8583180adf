import type { Agent, Event, InvocationContext } from '@thole/core';
import { flowSupport } from '../hooks/flow-support.ts';

/** Facts about a call of an agent for the agent that made it. */
export interface Followed {
  /** True if one of the events ends the enclosing loop. */
  escalated: boolean;
  /** True if the agent waits for an answer from outside: the next agent must not begin. */
  isPaused: boolean;
}

/** Runs an agent, yields its events, and returns a summary. */
export async function* follow(context: InvocationContext, agent: Agent): AsyncGenerator<Event, Followed, Event> {
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
    // The consumer left. Not awaited: an agent that ignores its signal must not delay the end of its run.
    steps.return().catch(noop);
  }
  return { escalated, isPaused: support.isPaused(place) };
}

function noop(): void {}
