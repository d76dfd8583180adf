import { getFunctionResponses, TholeError } from '@thole/core';
import type { Event } from '@thole/core';
import { isUserMessage } from '../history/turn-segments.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';

/** Time between two checks whether the joined run still holds its lease, in milliseconds. */
const POLL_MS = 250;

/** A run to join, and what to store in it. */
export interface JoinInit {
  /** The invocation of that run. */
  readonly running: string;
  /** The session, whose events are stored only while that run holds it. */
  readonly opened: OpenRun;
  readonly store: (opened: OpenRun) => Promise<void>;
}

/**
 * Stores events in the invocation of another run, and passes its events to the reader. Returns false if that run has just ended:
 * then nothing is stored, and this run takes the lease as usual.
 */
export async function joinRun(task: RunTask, { running, opened, store }: JoinInit): Promise<boolean> {
  const own = task.invocationId;
  task.invocationId = running;
  task.opened = opened;
  try {
    await store(opened);
  } catch (error) {
    if (!TholeError.is(error, 'NOT_RUNNING')) throw error;
    task.opened = undefined;
    task.invocationId = own;
    return false;
  } finally {
    // A run that joins another one leaves no record.
    opened.isRecorded = false;
  }
  if (task.lateAnswer) throw task.lateAnswer;
  task.reportOpened();
  await deliverJoined(task, opened.session.lastSeq);
  return true;
}

/**
 * Passes the events of a run that this run has joined to the reader, until that run ends or pauses. The reader may leave without
 * stopping that run.
 */
async function deliverJoined(task: RunTask, after: number): Promise<void> {
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

function noop(): void {}

/** The messages and answers that other callers have added to a run. */
export class JoinedMessages {
  #unseen: Event[] = [];
  #hasAnswer: boolean = false;
  #hasMessage: boolean = false;

  /** True if an answer has joined, and the invocation was not continued since. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }
  /** True if a message has ever joined. Then answers of models store what they have seen. */
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
  modelSees(seq: number): void {
    if (this.#unseen.length > 0) this.#unseen = this.#unseen.filter((event) => (event.seq ?? 0) > seq);
  }

  /** Called when the invocation continues: once for each message, also if its agents then call no model. */
  continued(): void {
    this.#hasAnswer = false;
    this.#unseen = [];
  }
}

/** Returns the event of a message, marked as one that has joined a run. */
export function asJoined(event: Event): Event {
  return { ...event, customMetadata: { ...event.customMetadata, joined: true } };
}

/** Returns the messages that have joined an invocation and that no model had seen when these events were stored. */
export function unseenMessages(events: readonly Event[]): Event[] {
  let seen = 0;
  for (const { customMetadata } of events) {
    const seenSeq = customMetadata?.['seenSeq'];
    if (typeof seenSeq === 'number') seen = Math.max(seen, seenSeq);
  }
  return events.filter(
    (event) => event.customMetadata?.['joined'] === true && isUserMessage(event) && (event.seq ?? 0) > seen,
  );
}
