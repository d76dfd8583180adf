import { createEvent } from '@thole/core';
import { closingRecordMark, errorFields, waitAtMost } from '@thole/core/kit';
import type { Lease, ReleaseOptions, TholeError } from '@thole/core';
import { callPluginsMaybeSync, hasHook } from '../hooks/call-hooks.ts';
import { notifyPlugins } from '../hooks/notify-plugins.ts';
import type { OpenRun } from './open-run.ts';
import { toRunError } from './run-state.ts';
import type { RunTask } from './run-task.ts';

/** Error codes after which nothing can be stored in the session. */
const noStoreCodes: ReadonlySet<string> = new Set([
  'LEASE_LOST',
  'STORE_OUTCOME_UNKNOWN',
  'STORE_UNAVAILABLE',
  'STORE_VERSION',
  'SESSION_NOT_FOUND',
]);
/** Error codes after which no closing record is stored, although the store works. */
const noRecordCodes: ReadonlySet<string> = new Set(['RESUME_DIVERGED']);
/** Error codes of a run that was stopped by its caller, its reader or another run. Error hooks are not called for them. */
export const noErrorHookCodes: ReadonlySet<string> = new Set(['RUN_LEFT', 'RUN_ABORTED', 'RUN_INTERRUPTED']);

/**
 * Closes a run: stores finished work and the closing record, calls the last hooks, and releases the lease. Closes
 * synchronously if there is no work left.
 */
export async function closeRun(task: RunTask): Promise<void> {
  const { opened, state } = task;
  // Not awaited: an agent that ignores its signal must not delay the end of its run.
  if (state.error) opened?.steps?.return().catch(noop);
  if (opened && hasClosingWork(task, opened)) {
    const author = task.agents.currentAuthor;
    const failure = await doClosingWork(task, opened, opened.isRecorded ? author : undefined);
    if (failure !== undefined) state.fail(toRunError(failure, author));
  }
  state.close({ isPaused: task.hasOpenInterrupts });
  releaseLease(task);
}

function hasClosingWork(task: RunTask, { rootContext }: OpenRun): boolean {
  const isQuiet = !task.state.error && !task.closeCallbacks?.size && !hasHook(task.runner.plugins, 'afterRunCallback');
  return !isQuiet || rootContext.hasPending();
}

/** Returns the error of a step that failed, else undefined. `author` is the author of the closing record. Undefined: no record. */
async function doClosingWork(task: RunTask, opened: OpenRun, author: string | undefined): Promise<unknown> {
  if (task.state.error || task.closeCallbacks?.size || opened.committer.isBusy) {
    return withinCleanupTime(task, cleanUp(task, opened, author));
  }
  // The other run calls afterRunCallback. State changes of hooks are stored with the joined message.
  if (opened.isJoined) return undefined;
  // Most hooks return synchronously. They need no time limit.
  const hooks = callAfterRun(task, opened);
  if (!hooks) return failureOf(storePending(task, opened));
  return withinCleanupTime(
    task,
    hooks.then(() => storePending(task, opened)),
  );
}

async function withinCleanupTime(task: RunTask, work: Promise<void>): Promise<unknown> {
  const { runtime } = task.runner;
  const spentMs = task.readerExit ? runtime.monotonic() - task.readerExit.at : 0;
  const limitMs = task.cleanupMs - Math.min(spentMs, task.cleanupMs / 2);
  return waitAtMost(runtime, limitMs, failureOf(work));
}

async function cleanUp(task: RunTask, opened: OpenRun, author: string | undefined): Promise<void> {
  const { committer, rootContext } = opened;
  const stop = task.state.error;
  await committer.whenIdle();
  const canStore = !stop || !noStoreCodes.has(stop.code);
  // Calls the newest callback first. The callbacks store finished tool answers.
  for (const close of canStore ? [...(task.closeCallbacks ?? [])].reverse() : []) {
    const failure = await failureOf(Promise.resolve().then(close));
    if (failure !== undefined) warn(task, 'A run could not store all finished work.', failure);
  }
  if (stop && !noErrorHookCodes.has(stop.code)) {
    await notifyPlugins(rootContext, 'onRunErrorCallback', { invocationContext: rootContext, error: stop });
  }
  if (opened.isJoined) return;
  if (stop && canStore && author !== undefined && !task.isShutDown && !noRecordCodes.has(stop.code))
    await storeClosingRecord(task, opened, stop, author);
  await callAfterRun(task, opened);
  if (!stop) await storePending(task, opened);
}

/** Calls `afterRunCallback`. Returns undefined if all plugins returned synchronously. Errors are only logged. */
function callAfterRun(task: RunTask, { rootContext }: OpenRun): Promise<void> | undefined {
  const logError = (error: unknown): void => warn(task, 'afterRunCallback failed.', error);
  try {
    const answer = callPluginsMaybeSync(task.runner.plugins, 'afterRunCallback', { invocationContext: rootContext });
    return answer && Promise.resolve(answer).then(noop, logError);
  } catch (error) {
    logError(error);
    return undefined;
  }
}

/** Stores the state changes of hooks that no event contains. */
function storePending(task: RunTask, { committer, rootContext }: OpenRun): Promise<void> | undefined {
  const event = rootContext.pendingEvent();
  if (!event) return undefined;
  return committer.commit(event).then((stored) => {
    if (stored) task.output.push(stored);
  });
}

/** Stores the error as an event and passes the event to the reader. The reader receives the error after it. */
async function storeClosingRecord(task: RunTask, opened: OpenRun, stop: TholeError, author: string): Promise<void> {
  const { invocationId } = task;
  const { runtime } = task.runner;
  const { committer } = opened;
  const { code: errorCode, message: errorMessage } = stop;
  const event = createEvent(
    { author, invocationId, errorCode, errorMessage, ...closingRecordMark(errorCode) },
    runtime,
  );
  try {
    // A failing plugin must not prevent the record.
    const stored = await committer.commit(event).catch(() => committer.commit(event, { withoutPlugins: true }));
    if (stored) task.output.push(stored);
  } catch (error) {
    warn(task, 'A run could not store its closing record.', error);
  }
}

function releaseLease(task: RunTask): void {
  const { lease, runner } = task;
  if (!lease) return task.finish();
  if (isSessionUncertain(task)) task.sessionAccess.forget();
  task.deadlines.limitRelease(runner.runtime.monotonic() + task.cleanupMs);
  runner.deadlineTimer.add(task);
  const canReopen = hasMark(task) && !task.state.error;
  const marks = marksAtEnd(task);
  lease.release({ marks, ifLastSeq: canReopen ? task.session.lastSeq : undefined }).then(
    (isReleased) => (isReleased ? task.finish() : reopen(task, lease)),
    (error: unknown) => logUnreleased(task, error),
  );
}

/** Continues the run if a message has joined it. Other new events, such as state changes of other writers, are ignored. */
function reopen(task: RunTask, lease: Lease): void {
  task
    .opened!.committer.readMissing()
    .then(() => {
      if (task.hasUnseenMessage) return task.reopen();
      return lease.release({ marks: marksAtEnd(task) }).then(() => task.finish());
    })
    .catch((error: unknown) => logUnreleased(task, error));
}

function logUnreleased(task: RunTask, error: unknown): void {
  warn(task, 'A lease was not released.', error);
  task.finish();
}

/**
 * True if the session is marked as having this unfinished invocation. This also applies to a resumed run that stores nothing, if
 * an earlier process crashed between its last event and the release of the lease.
 */
function hasMark({ invocationId, isMarked, opened, state }: RunTask): boolean {
  if (isMarked) return true;
  return !state.error && opened?.steps !== undefined && opened.session.unfinished === invocationId;
}

/** Returns the marks to store when the lease is released. Undefined keeps the stored marks: another process may continue. */
function marksAtEnd(task: RunTask): ReleaseOptions['marks'] {
  const { error } = task.state;
  if (!hasMark(task) || task.isShutDown || (error && noStoreCodes.has(error.code))) return undefined;
  const unfinished = (task.session.unfinished = task.otherUnfinished);
  return { unfinished, ...(task.hasUncertainMarks && task.interrupts.marks) };
}

/** True if the events of the store and of the cached session may differ. */
function isSessionUncertain({ opened, state }: RunTask): boolean {
  if (!state.error) return false;
  return noStoreCodes.has(state.error.code) || !opened?.isRecorded || opened.committer.isBusy;
}

function warn(task: RunTask, message: string, error: unknown): void {
  const { invocationId, ref, runner } = task;
  runner.runtime.logger.warn(message, { ...ref, invocationId, ...errorFields(error) });
}

async function failureOf(work: Promise<unknown> | undefined): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? 'unknown';
  }
}

function noop(): void {}
