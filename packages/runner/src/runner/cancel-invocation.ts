import { createEvent } from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import type { RunRequest } from '../invocation/run-request.ts';
import { LiveSession } from '../session/live-session.ts';
import { RunHandle } from './run.ts';
import type { RunInit } from './runner-deps.ts';

/**
 * Stores the closing record of an invocation that is paused or unfinished, which closes its interrupts. Returns false if the
 * session does not contain such an invocation.
 */
export async function cancelInvocation(init: RunInit, invocationId: string): Promise<boolean> {
  // Without a lease first: another run may hold the session for long.
  const session = await init.sessionAccess.service.getSession(init.ref);
  if (!session || !mayCancel(new LiveSession(session, undefined), invocationId)) return false;
  let isCancelled = false;
  const beforeMessage: RunInit['beforeMessage'] = async (task, { committer, session: opened }) => {
    if (!mayCancel(opened, invocationId)) return 'end';
    const errorMessage = `Invocation ${invocationId} was cancelled.`;
    const record = { author: 'system', invocationId, errorCode: 'RUN_ABORTED', errorMessage };
    await committer.commit(createEvent(record, task.runner.runtime));
    if (task.otherUnfinished === invocationId) task.otherUnfinished = null;
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

function mayCancel(session: LiveSession, invocationId: string): boolean {
  if (session.unfinished === invocationId) return true;
  return interruptsOf(session)
    .ofInvocation(invocationId)
    .some((each) => each.isOpen);
}
