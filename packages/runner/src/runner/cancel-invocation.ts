import { createEvent } from '@thole/core';
import type { RunRequest } from '../invocation/run-request.ts';
import { RunHandle } from './run.ts';
import type { RunInit } from './runner-deps.ts';

/**
 * Stores the closing record of an invocation that is paused or unfinished, which closes its interrupts. Returns false if the
 * session does not contain such an invocation.
 */
export async function cancelInvocation(init: RunInit, invocationId: string): Promise<boolean> {
  let isCancelled = false;
  const beforeMessage: RunInit['beforeMessage'] = async (task, { committer, session }) => {
    const isOpen = task.interrupts.ofInvocation(invocationId).some((each) => each.isOpen);
    if (!isOpen && session.unfinished !== invocationId) return 'end';
    const errorMessage = `Invocation ${invocationId} was cancelled.`;
    const record = { author: 'system', invocationId, errorCode: 'RUN_ABORTED', errorMessage };
    await committer.commit(createEvent(record, task.runner.runtime));
    isCancelled = true;
    return 'end';
  };
  // A run that ends before its message: it has the lease, its renewal and its release.
  const runner = { ...init.runner, plugins: [] };
  const { userId, sessionId } = init.ref;
  const request: RunRequest = { userId, sessionId, newMessage: 'cancel', runConfig: { reader: 'detached' } };
  for await (const _ of new RunHandle({ ...init, runner, beforeMessage }, request));
  return isCancelled;
}
