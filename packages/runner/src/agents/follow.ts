import type { Event } from '@thole/core';

/** What an agent's events came to, as far as the one that runs it must know. */
export interface Followed {
  /** One of them ends the enclosing loop. */
  escalated: boolean;
  /** The agent stopped at calls that are answered later: what comes after it has to wait. */
  isPaused: boolean;
}

/** Hands an agent's events on, looks at each as it was stored, and answers what they came to. */
export async function* follow(
  events: AsyncGenerator<Event, void, Event | undefined>,
): AsyncGenerator<Event, Followed, Event> {
  let escalated = false;
  // The last thing said in each branch: whoever asked a model on afterwards does not wait.
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
    // Where the run was left. Not awaited: an agent that ignores its signal must not hold up the end of its run.
    events.return().catch(noop);
  }
  return { escalated, isPaused: [...waits.values()].includes(true) };
}

function noop(): void {}
