import type { Event } from '@thole/core';
import type { Run } from '@thole/runner';
import { abortOnDisconnect } from '../runs/abort-on-disconnect.ts';
import { responseError } from '../runs/may-continue.ts';
import { startRun } from '../runs/start-run.ts';
import type { RunCall, RunRequest } from '../runs/start-run.ts';
import type { RunFailure, RunOutcome } from './event-encoder.ts';
import { outcomeOf } from './outcome-of.ts';

/** Starts a run and reads all its events. Logs the error of a failed run and rejects with it. */
export async function completeRun(
  call: RunCall,
  p: {
    request: Omit<RunRequest, 'detached' | 'yieldUserMessage' | 'streaming'>;
    /** True for a run that clients cannot read again. It ends when its client disconnects, regardless of `onDisconnect`. */
    endsWithClient?: boolean | undefined;
    onStart?: ((run: Run) => void) | undefined;
  },
): Promise<{ invocationId: string; events: Event[]; outcome: RunOutcome | RunFailure }> {
  const run = await startRun(call, { ...p.request, streaming: false, detached: true, yieldUserMessage: true });
  p.onStart?.(run);
  const stopWatching = abortOnDisconnect(run, call, p);
  const events: Event[] = [];
  try {
    for await (const event of run) events.push(event);
    return { invocationId: run.invocationId, events, outcome: await outcomeOf(run, events.at(-1)) };
  } catch (error) {
    const fields = { ...p.request.ref, invocationId: run.invocationId };
    call.context.errorLog.logRunError(error, fields, { hasStarted: events.length > 0 });
    throw responseError(call.context, p.request.ref, error);
  } finally {
    stopWatching();
  }
}
