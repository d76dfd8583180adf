import { getFunctionResponses, TholeError } from '@thole/core';
import { isClosingRecord } from '@thole/core/kit';
import type { Event, TholeErrorCode } from '@thole/core';
import { isUserMessage } from '../history/turn-segments.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';

/** Time between two checks whether the joined run still holds its lease, in milliseconds. */
const POLL_MS = 250;

/** A run to join, and what to store in it. */
export interface JoinInit {
  /** Id of the invocation of the run to join. */
  readonly running: string;
  /** The session. Events are stored only while the run to join holds its lease. */
  readonly opened: OpenRun;
  readonly store: (opened: OpenRun) => Promise<void>;
}

/**
 * Stores events in the invocation of another run, and passes the events of that invocation to the reader. Returns false, and stores
 * nothing, if the other run has just ended. Then this run takes the lease as usual.
 */
export async function joinRun(task: RunTask, { running, opened, store }: JoinInit): Promise<boolean> {
  const ownInvocation = task.invocationId;
  task.invocationId = running;
  task.opened = opened;
  try {
    await store(opened);
  } catch (error) {
    if (!TholeError.is(error, 'NOT_RUNNING')) throw error;
    task.opened = undefined;
    task.invocationId = ownInvocation;
    return false;
  } finally {
    // A run that joins another run stores no closing record.
    opened.isRecorded = false;
  }
  if (task.errorAtEnd) throw task.errorAtEnd;
  task.reportOpened();
  await deliverJoined(task, opened.session.lastSeq);
  return true;
}

/**
 * Passes the events of the joined run to the reader, until the joined run ends or pauses. Its failure becomes the error of this
 * run. If the reader leaves, the joined run continues.
 */
async function deliverJoined(task: RunTask, after: number): Promise<void> {
  const { delivery, session } = task.opened!;
  const { service } = task.sessionAccess;
  let seq = after;
  let last: Event | undefined;
  for (;;) {
    const isRunning = (await task.sessionAccess.currentInvocation()) === task.invocationId;
    // Reads after the check: if the joined run has ended, all its events are stored.
    const newer = await service.getSession({ ...session.ref, afterSeq: seq, signal: task.signal });
    if (!newer || newer.incarnation !== session.incarnation) return;
    session.catchUp(newer, undefined);
    for (const event of newer.events) {
      seq = Math.max(seq, event.seq ?? 0);
      if (event.invocationId !== task.invocationId) continue;
      last = event;
      await delivery.passToReader(event);
      task.state.throwIfStopped();
    }
    if (!isRunning) {
      if (last && isClosingRecord(last)) task.errorAtEnd ??= errorOfRecord(last);
      return;
    }
    if (newer.events.length === 0) await waitForNextEvent(task, seq);
  }
}

/** Returns the error in the closing record of a failed run. */
function errorOfRecord({ errorCode, errorMessage = 'The run failed.' }: Event): TholeError {
  return new TholeError(errorCode as TholeErrorCode, errorMessage);
}

/** Waits for the next event of the session, at most `POLL_MS`. */
export async function waitForNextEvent(task: RunTask, after: number): Promise<void> {
  const { runtime } = task.runner;
  const { ref, sessionAccess } = task;
  // A session that does not exist yet cannot be watched.
  const watching = task.opened && sessionAccess.service.watching;
  const wait = new AbortController();
  const signal = AbortSignal.any([task.signal, wait.signal]);
  const limit = runtime.sleep(POLL_MS, signal).catch(noop);
  const events = watching?.watch(ref, after, signal)[Symbol.asyncIterator]();
  const next: Promise<IteratorResult<Event> | void> = events ? events.next().catch(noop) : limit;
  await Promise.race([limit, next]);
  wait.abort('checked');
  void events?.return?.().catch(noop);
  task.state.throwIfStopped();
}

function noop(): void {}

/** The messages and answers that other callers have added to a run. */
export class JoinedMessages {
  #unseen: Event[] = [];
  #hasAnswer: boolean = false;
  #hasMessage: boolean = false;

  /** True if an answer has joined since the invocation was last continued. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }
  /** True if a message has ever joined. Then answers of models store the `seq` of the newest event in their request. */
  get hasMessage(): boolean {
    return this.#hasMessage;
  }
  /** The messages that no model has seen, oldest first. */
  get unseen(): readonly Event[] {
    return this.#unseen;
  }
  /** True if an answer has joined, or a message that no model has seen. */
  get hasUnseen(): boolean {
    return this.#hasAnswer || this.#unseen.length > 0;
  }

  add(event: Event): void {
    if (getFunctionResponses(event).length > 0) this.#hasAnswer = true;
    if (!isUserMessage(event)) return;
    this.#hasMessage = true;
    this.#unseen.push(event);
  }

  /** Called when a request is sent to a model, with the `seq` of its newest event. */
  markSeen(seq: number): void {
    if (this.#unseen.length > 0) this.#unseen = this.#unseen.filter((event) => (event.seq ?? 0) > seq);
  }

  /** Called when the invocation continues, so that it continues once for each message even if no model is called. */
  clear(): void {
    this.#hasAnswer = false;
    this.#unseen = [];
  }
}

/** Returns the event of a message, marked as one that has joined a run. */
export function markAsJoined(event: Event): Event {
  return { ...event, customMetadata: { ...event.customMetadata, joined: true } };
}

/** Returns the joined messages among these events of an invocation that no model has seen. */
export function findUnseenMessages(events: readonly Event[]): Event[] {
  let seen = 0;
  for (const { customMetadata } of events) {
    const seenSeq = customMetadata?.['seenSeq'];
    if (typeof seenSeq === 'number') seen = Math.max(seen, seenSeq);
  }
  return events.filter(
    (event) => event.customMetadata?.['joined'] === true && isUserMessage(event) && (event.seq ?? 0) > seen,
  );
}
