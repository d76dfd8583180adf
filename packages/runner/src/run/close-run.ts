import { createEvent } from '@thole/core';
import type { TholeError } from '@thole/core';
import { callPlugins } from '../hooks/call-hooks.ts';
import type { AgentContext } from './agent-context.ts';
import type { Committer } from './commit.ts';
import type { Reader } from './reader.ts';
import type { RunScope } from './run-scope.ts';

interface ClosingRun {
  readonly run: RunScope;
  readonly root: AgentContext;
  readonly committer: Committer;
  readonly reader: Reader;
  /** Why it ends; undefined when it ends by itself. */
  readonly stop: TholeError | undefined;
  /** The author of the closing record; undefined before the message was stored. */
  readonly record: string | undefined;
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

/**
 * The end of a run: the append under way, answers for calls that still run, the closing record, `afterRunCallback`, state that no
 * event took. A run that is stopped, or has hooks, gets `cleanupMs` for it. Answers what failed, if anything did.
 */
export async function closeRun(closing: ClosingRun): Promise<unknown> {
  const { run } = closing;
  if (isQuiet(closing)) return failureOf(storePending(closing));
  const over = new AbortController();
  const limit = run.host.runtime.sleep(run.runConfig.cleanupMs ?? 5_000, over.signal).catch(noop);
  const failure = await Promise.race([failureOf(cleanUp(closing)), limit]);
  over.abort();
  return failure;
}

/** Whether nobody else has anything to do at the end. */
export function isQuiet({ run, stop }: Pick<ClosingRun, 'run' | 'stop'>): boolean {
  return !stop && !run.closers?.size && run.host.plugins.length === 0;
}

async function cleanUp(closing: ClosingRun): Promise<void> {
  const { run, root, committer, stop } = closing;
  await committer.settled();
  const storable = !stop || canStoreAfter(stop);
  for (const closer of storable ? [...(run.closers ?? [])].reverse() : []) {
    const failure = await failureOf(Promise.resolve().then(closer));
    if (failure !== undefined) warn(run, 'A run could not store all that had finished.', failure);
  }
  if (stop && storable && closing.record !== undefined) await storeClosingRecord(closing, stop, closing.record);
  const failure = await failureOf(callPlugins(run.host.plugins, 'afterRunCallback', { invocationContext: root }));
  if (failure !== undefined) warn(run, 'afterRunCallback failed.', failure);
  if (!stop) await storePending(closing);
}

async function storePending({ root, committer, reader }: ClosingRun): Promise<void> {
  const event = root.pendingEvent();
  const stored = event && (await committer.commit(event));
  if (stored) reader.push(stored);
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
  run.host.runtime.logger.warn(message, { invocationId: run.invocationId, error: String(error) });
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(noop, (error: unknown) => error ?? 'unknown');
}

function noop(): void {}
