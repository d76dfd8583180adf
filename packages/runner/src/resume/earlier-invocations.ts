import { createEvent, TholeError } from '@thole/core';
import { canonicalJson } from '@thole/core/kit';
import type { Content, Event, EventLog, Json } from '@thole/core';
import { hasHook } from '../hooks/call-hooks.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';

/**
 * If the message is stored already, passes the events of its invocation to the reader and returns true. Nothing runs and nothing is
 * stored. Returns false for a new message. Throws `MESSAGE_ID_TAKEN` if the stored message has other content.
 */
export async function deliverIfRepeated(
  task: RunTask,
  { delivery, session }: OpenRun,
  message: Content,
): Promise<boolean> {
  const { messageId } = task.request;
  const index = messageId === undefined ? -1 : indexOf(session.log, messageId);
  if (index < 0) return false;
  const earlier = session.log.at(index)!;
  // Plugins may have changed the stored message.
  const mayDiffer = hasHook(task.runner.plugins, 'onUserMessageCallback') || task.runConfig.saveInputBlobsAsArtifacts;
  if (!mayDiffer && canonicalJson(partsOf(earlier.content)) !== canonicalJson(partsOf(message)))
    throw messageIdTaken(task);
  task.invocationId = earlier.invocationId;
  const first = task.request.yieldUserMessage === true ? index : index + 1;
  for (let i = first; i < session.log.length; i++) {
    const event = session.log.at(i)!;
    if (event.invocationId !== earlier.invocationId) continue;
    await delivery.passToReader(event);
    task.state.throwIfStopped();
  }
  return true;
}

/**
 * Does the same for a repeated `regenerate` request with the `messageId` of the first request. Default of `message`: the message of
 * the invocation. Throws `MESSAGE_ID_TAKEN` if another message has this id.
 */
export async function deliverIfRegenerated(
  task: RunTask,
  opened: OpenRun,
  p: { invocationId: string; message: Content | undefined },
): Promise<boolean> {
  const { messageId } = task.request;
  const earlier = [...opened.session.log].find(({ id }) => id === messageId);
  if (messageId === undefined || !earlier) return false;
  const isMarker = ({ actions, invocationId }: Event): boolean =>
    invocationId === earlier.invocationId && actions.rewindBeforeInvocationId === p.invocationId;
  if (![...opened.session.log].some(isMarker)) throw messageIdTaken(task);
  return deliverIfRepeated(task, opened, p.message ?? earlier.content ?? {});
}

function messageIdTaken({ ref, request }: RunTask): TholeError {
  const { messageId } = request;
  const text = `Session "${ref.sessionId}" has another message with messageId "${messageId}". Use a new id for a new message.`;
  return new TholeError('MESSAGE_ID_TAKEN', text);
}

function indexOf(log: EventLog, id: string): number {
  for (let i = log.length - 1; i >= 0; i--) if (log.at(i)!.id === id) return i;
  return -1;
}

function partsOf(content: Event['content']): Json {
  return (content?.parts ?? []) as unknown as Json;
}

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
