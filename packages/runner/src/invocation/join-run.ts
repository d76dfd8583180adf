import { TholeError } from '@thole/core';
import type { Event } from '@thole/core';
import type { RunTask } from './run-task.ts';

/** Time between two checks whether the joined run still holds its lease, in milliseconds. */
const POLL_MS = 250;

/**
 * Passes the events of a run that this run has joined to the reader, until that run ends or pauses. The reader may leave without
 * stopping that run.
 */
export async function deliverJoined(task: RunTask, after: number): Promise<void> {
  const { delivery, session } = task.opened!;
  const { service } = task.sessionAccess;
  let seq = after;
  for (;;) {
    const isRunning = (await task.sessionAccess.currentInvocation()) === task.invocationId;
    // Read after the check: nothing of that run is stored later, unless it still runs.
    const newer = await service.getSession({ ...session.ref, afterSeq: seq, signal: task.signal });
    if (!newer || newer.incarnation !== session.incarnation) return;
    session.catchUp(newer, undefined);
    for (const event of newer.events) {
      seq = Math.max(seq, event.seq ?? 0);
      if (event.invocationId !== task.invocationId) continue;
      await delivery.handOver(event);
      task.state.throwIfStopped();
    }
    if (!isRunning) return;
    if (newer.events.length === 0) await nextEvent(task, seq);
  }
}

/** Waits for the next event of the session, at most until the next check. */
async function nextEvent(task: RunTask, after: number): Promise<void> {
  const { runtime } = task.runner;
  const { watching } = task.sessionAccess.service;
  const wait = new AbortController();
  const signal = AbortSignal.any([task.signal, wait.signal]);
  const limit = runtime.sleep(POLL_MS, signal).catch(noop);
  const events = watching?.watch(task.session.ref, after, signal)[Symbol.asyncIterator]();
  const next: Promise<IteratorResult<Event> | void> = events ? events.next().catch(noop) : limit;
  await Promise.race([limit, next]);
  wait.abort('checked');
  void events?.return?.().catch(noop);
  task.state.throwIfStopped();
}

/** True if a store rejected an event because the run to join had ended. */
export function isNotRunning(error: unknown): boolean {
  return TholeError.is(error, 'NOT_RUNNING');
}

function noop(): void {}
