import { pendingInterrupts } from '@thole/core';
import { isClosingRecord, sessionNotFound } from '@thole/core/kit';
import type { Event, SessionRef, SessionService } from '@thole/core';
import type { Run } from '@thole/runner';
import { failureOfRecord } from '../runs/end-frames.ts';
import type { RunFailure, RunOutcome } from './event-encoder.ts';

/**
 * Returns the outcome of a run that has ended without an error. `last` is its last event: a repeated message returns the stored
 * events of its invocation, which may have failed.
 */
export async function outcomeOf(run: Run, last: Event | undefined): Promise<RunOutcome | RunFailure> {
  if (last && isClosingRecord(last)) return failureOfRecord(last);
  const { interrupts, status, usage } = await run.result;
  return { status: status === 'paused' ? 'paused' : 'completed', interrupts, usage };
}

/** Returns the outcome of a stored invocation that has ended without an error. */
export async function storedOutcome(
  sessions: SessionService,
  ref: SessionRef,
  invocationId: string,
): Promise<RunOutcome> {
  const session = await sessions.getSession(ref);
  if (!session) throw sessionNotFound(ref);
  const interrupts = pendingInterrupts(session.events).filter((each) => each.invocationId === invocationId);
  return { status: interrupts.length > 0 ? 'paused' : 'completed', interrupts };
}
