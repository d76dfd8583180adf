import type { Event } from '@thole/core';

/** Facts about an agent's events for the agent that runs it. */
export interface Followed {
  /** True if one of the events ends the enclosing loop. */
  escalated: boolean;
  /** True if the agent stopped at calls that are answered later: the next agent must wait. */
  isPaused: boolean;
}

/** Yields an agent's events, reads each as it was stored, and returns a summary. */
export async function* follow(
  events: AsyncGenerator<Event, void, Event | undefined>,
): AsyncGenerator<Event, Followed, Event> {
  let escalated = false;
  // The last event of each branch: an agent that called a model again afterwards does not wait.
  const waits = new Map<string | undefined, boolean>();
  try {
    let step = await events.next();
    while (!step.done) {
      const answer = (yield step.value) as Event | undefined;
      const stored = answer ?? step.value;
      if (!stored.partial) {
        escalated ||= stored.actions.escalate === true;
        const isAnswer = stored.content?.parts?.every((part) => part.functionResponse) ?? true;
        if (!isAnswer) waits.set(stored.branch, (stored.longRunningToolIds?.length ?? 0) > 0);
      }
      step = await events.next(answer);
    }
  } finally {
    // The consumer left. Not awaited: an agent that ignores its signal must not delay the end of its run.
    events.return().catch(noop);
  }
  return { escalated, isPaused: [...waits.values()].includes(true) };
}

function noop(): void {}
