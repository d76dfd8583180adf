import type { Event, Json, RunConfig, RunLimits } from '@thole/core';
import type { RunTask } from './run-task.ts';

/** Limits of an invocation, in `customMetadata.runLimits` of its first event. */
interface StoredLimits {
  readonly maxLlmCalls?: number | undefined;
  readonly limits?: RunLimits | undefined;
}

/** Returns the metadata that stores the limits of the run with its message. Undefined if it has none. */
export function limitsMetadata({ isResumable, runConfig }: RunTask): Event['customMetadata'] {
  const { maxLlmCalls, limits } = runConfig;
  if (!isResumable || (maxLlmCalls === undefined && limits === undefined)) return undefined;
  const stored = { ...(maxLlmCalls !== undefined && { maxLlmCalls }), ...(limits && { limits: { ...limits } }) };
  return { runLimits: stored as Json };
}

/** Applies the limits and the metadata that the first run of the invocation stored, unless this run has others. */
export function useStoredConfig(task: RunTask, first: Event): void {
  const { runLimits, ...customMetadata } = first.customMetadata ?? {};
  const given: RunConfig = task.runConfig;
  if (given.customMetadata === undefined && first.author === 'user' && Object.keys(customMetadata).length > 0)
    task.runConfig = { ...given, customMetadata };
  const { maxLlmCalls, limits } = (runLimits ?? {}) as StoredLimits;
  task.calls.limitTo({
    maxCalls: given.maxLlmCalls === undefined ? maxLlmCalls : undefined,
    limits: given.limits === undefined ? limits : undefined,
  });
}
