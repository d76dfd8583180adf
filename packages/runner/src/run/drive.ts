import type { Event, MaybePromise } from '@thole/core';

/**
 * Runs the steps of the agent that `begin` finds, if it finds one: each event goes out, and the agent goes on from what was
 * stored.
 */
export async function drive(
  begin: () => Promise<AsyncGenerator<Event, void, Event> | undefined>,
  emit: (event: Event) => MaybePromise<Event>,
): Promise<void> {
  const steps = await begin();
  if (!steps) return;
  let step = await steps.next();
  while (!step.done) step = await steps.next(await emit(step.value));
}
