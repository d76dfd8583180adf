import { TholeError } from '@thole/core';

/** What a run ends with: an error of ours as it is, anything else as the agent's failure. */
export function toRunError(error: unknown, agentName: string): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('AGENT_FAILED', `Agent ${agentName} failed with an error of its own; it is the cause.`, {
    cause: error,
  });
}

/** What a session service throws: a coded error as it is, anything else as a store that does not work. */
export function toStoreError(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('STORE_UNAVAILABLE', 'The session service failed with an error of its own; it is the cause.', {
    cause: error,
  });
}

/** What ends a run that its caller does not want any more. */
export function aborted(invocationId: string, cause: unknown): TholeError {
  return new TholeError('RUN_ABORTED', `Invocation ${invocationId} was aborted.`, { cause });
}
