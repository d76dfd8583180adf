import { getFunctionResponses } from '@thole/core';
import type { Json, SessionRef, SessionService } from '@thole/core';
import type { SimulatedRecovery, SimulatedRunner } from './simulated-runner.ts';

/** A session whose trip is driven to its end. */
export interface DrivenTrip {
  readonly runner: SimulatedRunner;
  readonly sessionService: SessionService;
  readonly ref: SessionRef;
  /** True to resume an invocation at once that recovery leaves for a later attempt. Default: false. */
  readonly retriesAtOnce?: boolean | undefined;
}

/**
 * Does the work of a process that has just started: recovers, sends the message if it is not stored, and answers open interrupts.
 * Returns true if the trip has ended, false if another call is needed, for example because another process holds the session.
 */
export async function driveTrip({ runner, sessionService, ref, retriesAtOnce }: DrivenTrip): Promise<boolean> {
  const { sessionId, userId } = ref;
  for (const { invocationId, reason } of await recoverAll(runner))
    if (retriesAtOnce && reason === 'waiting-for-retry')
      await runner.resume({ userId, sessionId, invocationId }).result.catch(() => {});
  const session = await sessionService.getSession(ref);
  if (!session) {
    await sessionService.createSession(ref).catch(() => {});
    return false;
  }
  if (!session.events.some(({ id }) => id === `${sessionId}-message`)) {
    const message = { userId, sessionId, newMessage: 'Book a trip.', messageId: `${sessionId}-message` };
    await runner.runToCompletion(message).catch(() => {});
    return false;
  }
  const record = session.events.at(-1);
  if (record?.errorCode === 'RESUME_FAILED') {
    const { invocationId } = record;
    await runner.resume({ userId, sessionId, invocationId }).result.catch(() => {});
    return false;
  }
  const interrupts = await runner.pendingInterrupts({ userId, sessionId });
  if (interrupts.length > 0) {
    const answers = Object.fromEntries(interrupts.map(({ id }): [string, Json] => [id, { confirmed: true }]));
    await runner.resume({ userId, sessionId, answers }).result.catch(() => {});
    return false;
  }
  return isDone(session.events);
}

/** Recovers until nothing is left. Returns the results. */
export async function recoverAll(runner: SimulatedRunner): Promise<SimulatedRecovery[]> {
  const results: SimulatedRecovery[] = [];
  for await (const result of runner.recover()) results.push(result);
  return results;
}

function isDone(events: readonly Parameters<typeof getFunctionResponses>[0][]): boolean {
  const last = events.findLast(({ content }) => content !== undefined);
  return (last?.content?.parts ?? []).some(({ text }) => text === 'Booked.');
}
