import { createEvent } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { TholeError } from '@thole/core';
import { askPlugins, hasHook } from '../hooks/call-hooks.ts';
import { notifyPlugins } from '../hooks/notify-plugins.ts';
import type { AgentContext } from '../contexts/agent-context.ts';
import type { Committer } from './committer.ts';
import type { OutputQueue } from './output-queue.ts';
import type { RunScope } from './run-scope.ts';

interface ClosingRun {
  readonly run: RunScope;
  readonly root: AgentContext;
  readonly committer: Committer;
  readonly reader: OutputQueue;
  /** Why it ends; undefined when it ends by itself. */
  readonly stop: TholeError | undefined;
  /** The author of the closing record; undefined before the message was stored. */
  readonly record: string | undefined;
  /** How long it may take, in milliseconds. */
  readonly limitMs: number;
}

const NOTHING_STORABLE: ReadonlySet<string> = new Set([
  'LEASE_LOST',
  'STORE_OUTCOME_UNKNOWN',
  'STORE_UNAVAILABLE',
  'STORE_VERSION',
  'SESSION_NOT_FOUND',
]);

/** Whether a run that ends with this error can still write to its session. */
export function canStoreAfter(stop: TholeError): boolean {
  return !NOTHING_STORABLE.has(stop.code);
}

// Whoever leaves, aborts or interrupts a run wanted its end.
const NO_FAILURE: ReadonlySet<string> = new Set(['RUN_LEFT', 'RUN_ABORTED', 'RUN_INTERRUPTED']);

function isFailure(stop: TholeError): boolean {
  return !NO_FAILURE.has(stop.code);
}

/**
 * The end of a run: the append under way, answers for calls that still run, `onRunErrorCallback`, the closing record, `afterRunCallback`, state that no
 * event took. A run that is stopped, or has hooks, gets `limitMs` for it. Answers what failed, if anything did.
 */
export async function closeRun(closing: ClosingRun): Promise<unknown> {
  const { run, stop, committer } = closing;
  if (stop || run.closers?.size || committer.isBusy) return inTime(closing, cleanUp(closing));
  // Hooks mostly answer at once: then a clock would cost the run more than they do.
  const hooks = callHooks(closing);
  return hooks
    ? inTime(
        closing,
        hooks.then(() => storePending(closing)),
      )
    : failureOf(storePending(closing));
}

async function inTime({ run, limitMs }: ClosingRun, work: Promise<void>): Promise<unknown> {
  const over = new AbortController();
  const limit = run.host.runtime.sleep(limitMs, over.signal).catch(noop);
  const failure = await Promise.race([failureOf(work), limit]);
  over.abort('over');
  return failure;
}

/** Whether nobody else has anything to do at the end. */
export function isQuiet({ run, stop }: Pick<ClosingRun, 'run' | 'stop'>): boolean {
  return !stop && !run.closers?.size && !hasHook(run.host.plugins, 'afterRunCallback');
}

async function cleanUp(closing: ClosingRun): Promise<void> {
  const { run, committer, stop } = closing;
  await committer.settled();
  const storable = !stop || canStoreAfter(stop);
  for (const closer of storable ? [...(run.closers ?? [])].reverse() : []) {
    const failure = await failureOf(Promise.resolve().then(closer));
    if (failure !== undefined) warn(run, 'A run could not store all that had finished.', failure);
  }
  if (stop && isFailure(stop))
    await notifyPlugins(closing.root, 'onRunErrorCallback', { invocationContext: closing.root, error: stop });
  if (stop && storable && closing.record !== undefined) await storeClosingRecord(closing, stop, closing.record);
  await callHooks(closing);
  if (!stop) await storePending(closing);
}

/** Nothing to wait for where all of them answer at once. */
function callHooks({ run, root }: ClosingRun): Promise<void> | undefined {
  const failed = (error: unknown): void => warn(run, 'afterRunCallback failed.', error);
  try {
    const answer = askPlugins(run.host.plugins, 'afterRunCallback', { invocationContext: root });
    return answer && Promise.resolve(answer).then(noop, failed);
  } catch (error) {
    failed(error);
    return undefined;
  }
}

function storePending({ root, committer, reader }: ClosingRun): Promise<void> | undefined {
  const event = root.pendingEvent();
  if (!event) return undefined;
  return committer.commit(event).then((stored) => {
    if (stored) reader.push(stored);
  });
}

// Shown before the error is thrown. A plugin that cannot hear it does not keep it from being stored.
async function storeClosingRecord(
  { run, committer, reader }: ClosingRun,
  stop: TholeError,
  author: string,
): Promise<void> {
  const { invocationId } = run;
  const { runtime } = run.host;
  const event = createEvent({ author, invocationId, errorCode: stop.code, errorMessage: stop.message }, runtime);
  try {
    const stored = await committer.commit(event).catch(() => committer.commit(event, { unheard: true }));
    if (stored) reader.push(stored);
  } catch (error) {
    warn(run, 'A run could not store its closing record.', error);
  }
}

function warn(run: RunScope, message: string, error: unknown): void {
  run.host.runtime.logger.warn(message, { invocationId: run.invocationId, ...errorFields(error) });
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
