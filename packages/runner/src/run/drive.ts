import type { Event } from '@thole/core';

/** Runs an agent's steps: each event goes out, and the agent goes on from what was stored. */
export async function drive(
  steps: AsyncGenerator<Event, void, Event>,
  emit: (event: Event) => Promise<Event>,
): Promise<void> {
  let step = await steps.next();
  while (!step.done) step = await steps.next(await emit(step.value));
}
