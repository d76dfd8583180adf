import { createEvent } from '@thole/core';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';

/**
 * Stores the closing records of invocations that a new message replaces: the unfinished invocation of a crashed process, and with
 * `onNewMessage: 'cancel'` all invocations with open interrupts. Called before the message is stored.
 */
export function closeReplacedInvocations(task: RunTask, { committer, session }: OpenRun): Promise<void> | undefined {
  const { interrupts, isResumable, runner } = task;
  if (!isResumable) return undefined;
  const isCancelling = runner.durability.onNewMessage === 'cancel' && interrupts.openCount > 0;
  const isUnfinished = Boolean(session.unfinished) && session.unfinished !== task.invocationId;
  // Most runs have nothing to close and do not wait.
  return isCancelling || isUnfinished ? storeRecords(task, { committer, session }) : undefined;
}

async function storeRecords(
  task: RunTask,
  { committer, session }: Pick<OpenRun, 'committer' | 'session'>,
): Promise<void> {
  const replaced = new Set<string>();
  if (session.unfinished && session.unfinished !== task.invocationId) replaced.add(session.unfinished);
  if (task.runner.durability.onNewMessage === 'cancel')
    for (const { interrupt } of task.interrupts.open) replaced.add(interrupt.invocationId);
  task.otherUnfinished = null;
  for (const invocationId of replaced) {
    await committer.commit(
      createEvent(
        {
          author: 'system',
          invocationId,
          errorCode: 'RUN_SUPERSEDED',
          errorMessage: 'A new message began while the invocation was unfinished.',
        },
        task.runner.runtime,
      ),
    );
  }
}
