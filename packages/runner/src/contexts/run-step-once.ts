import { createEvent, TholeError } from '@thole/core';
import { failInvalidJson, invalidInput, JsonCopier } from '@thole/core/kit';
import type { Event, Json, MaybePromise, StepFunction } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';

/** The place of a step in its invocation. */
interface StepPlace {
  readonly path: string;
  readonly name: string;
  readonly n: number;
  readonly callId?: string | undefined;
}

/**
 * Returns the stored result of a step, or runs it and stores its result as an event without content. Throws `INVALID_INPUT` for
 * a result that is not JSON.
 */
export async function runStepOnce<R extends Json | undefined | void>(
  task: RunTask,
  step: StepPlace,
  p: {
    fn: StepFunction<R>;
    idempotencyKey: string;
    signal: AbortSignal;
    author: string;
    commit: (event: Event) => MaybePromise<Event | undefined>;
  },
): Promise<R> {
  if (typeof step.name !== 'string' || step.name === '') throw invalidInput("A step's name", 'a string', step.name);
  if (typeof p.fn !== 'function') throw invalidInput(`Step ${step.name}`, 'a function', p.fn);
  const stored = task.progress?.resultOf(step);
  if (stored !== undefined) return stored as R;
  p.signal.throwIfAborted();
  const value = await p.fn({ idempotencyKey: p.idempotencyKey, signal: p.signal });
  p.signal.throwIfAborted();
  const result = new JsonCopier(failInvalidJson).copy((value ?? null) as Json, `The result of step ${step.name}`);
  const { invocationId, runner } = task;
  const customMetadata = { step: { ...step, callId: step.callId ?? null, result } };
  const event = createEvent({ author: p.author, invocationId, customMetadata }, runner.runtime);
  const committed = await p.commit(event);
  if (!committed?.customMetadata?.['step'])
    throw new TholeError('PLUGIN_FAILED', `A plugin dropped or changed the event of step ${step.name}.`);
  return result as R;
}
