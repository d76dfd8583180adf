import type { Event, MaybePromise } from '@thole/core';

/**
 * Runs the steps of the agent that `begin` finds, if it finds one: each event goes out, and the agent goes on from what was
 * stored. `turn` is a wait for the event loop, where one is due.
 */
export async function drive(
  begin: () => Promise<AsyncGenerator<Event, void, Event | undefined> | undefined>,
  emit: (event: Event) => MaybePromise<Event>,
  turn: () => Promise<void> | undefined,
): Promise<void> {
  const steps = await begin();
  if (!steps) return;
  let step = await steps.next();
  while (!step.done) {
    const waiting = turn();
    if (waiting) await waiting;
    step = await steps.next(await emit(step.value));
  }
}
