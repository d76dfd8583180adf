import { pendingInterrupts, TholeError } from '@thole/core';
import { answerEventId } from '@thole/core/kit';
import type { Event, Interrupt, Json, SessionRef, SessionService } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import type { MessageBatch, StoredMessage } from '../delivery/delivery-store.ts';
import type { Texts } from '../dispatcher/texts.ts';
import { batchContent, batchText } from './batch-content.ts';
import { groupMetadata } from './group.ts';
import { parseAnswers } from './question.ts';
import type { Replies } from './replies.ts';

/** The messages of one run. */
export interface Batch extends MessageBatch {
  readonly messages: readonly StoredMessage[];
  /** True if the run may have begun already: in an earlier process, or in a failed attempt. */
  readonly wasBegun: boolean;
}

/** Dependencies of a batch. */
export interface BatchContext {
  readonly ref: SessionRef;
  readonly runner: Runner;
  readonly sessions: SessionService;
  readonly replies: Replies;
  readonly texts: Texts;
  /** Called with the open interrupts of a run that has paused, and the number of its last event. Undefined without events. */
  readonly onPaused: (interrupts: readonly Interrupt[], lastSeq: number | undefined) => void;
  /** Called with each error event that a run for messages reads. */
  readonly onErrorEvent: (event: Event) => void;
  /** Called with an error after which the messages are handled in another way. */
  readonly onError: (error: unknown) => void;
}

/** The invocation of a batch that is in the session. */
interface StoredBatch {
  readonly invocationId: string;
  readonly isUnfinished: boolean;
  /** The events of the invocation after the batch. */
  readonly later: readonly Event[];
  /** The open interrupts of the invocation. */
  readonly open: readonly Interrupt[];
  /** Number of the last event of the session. */
  readonly lastSeq: number;
}

/** Error codes of an answer that comes too late. The answer is then handled as a message. */
const lateAnswerCodes = [
  'INTERRUPT_ANSWERED',
  'INTERRUPT_EXPIRED',
  'INTERRUPT_NOT_FOUND',
  'INVOCATION_ENDED',
  'INVOCATION_NOT_FOUND',
];

/**
 * Runs the agent for a batch and passes its answers to `replies`. Calls `onStored` when the messages are in the session. The next
 * batch may start then, and joins this run. A batch that has begun before continues where it stopped. Throws the error of the run.
 */
export async function runBatch(p: BatchContext, batch: Batch, onStored: () => void): Promise<void> {
  if (batch.wasBegun && (await continueStored(p, batch, onStored))) return;
  if (batch.interruptId !== undefined && (await runAnswer(p, batch, onStored))) return;
  const { userId, sessionId } = p.ref;
  const newMessage = batchContent(batch.messages);
  const runConfig = { customMetadata: groupMetadata(batch.messages.at(-1)!) };
  const run = p.runner.runAsync({
    userId,
    sessionId,
    newMessage,
    messageId: batch.id,
    runConfig,
    yieldUserMessage: true,
  });
  const count = await readRun(p, run, batch, onStored);
  // The process of the joined run has crashed, so this run continues its invocation.
  if (count === 0) await continueStored(p, batch, onStored);
}

/** Continues an unfinished or paused invocation and sends its answers. Returns false if the invocation has ended. */
export async function continueInvocation(
  p: BatchContext,
  invocationId: string,
  batch?: Batch,
  onStored: () => void = () => {},
): Promise<boolean> {
  const { userId, sessionId } = p.ref;
  const run = p.runner.resume({ userId, sessionId, invocationId });
  void run.opened.then(onStored, () => {});
  try {
    await readRun(p, run, batch, onStored);
    return true;
  } catch (error) {
    if (isOneOf(error, lateAnswerCodes)) return false;
    throw error;
  }
}

/** Continues a batch that is in the session: sends its answers, and resumes its run. Returns false if the session does not contain it. */
async function continueStored(p: BatchContext, batch: Batch, onStored: () => void): Promise<boolean> {
  let stored = await findStored(p, batch);
  if (stored?.isUnfinished) {
    await p.replies.sendEvents(stored.later, replyTo(batch));
    if (await continueInvocation(p, stored.invocationId, batch, onStored)) return true;
    // Another batch or another process has continued the invocation to its end. An answer that was sent is not sent again.
    stored = await findStored(p, batch);
  }
  if (!stored) return false;
  const failure = await p.replies.sendEvents(stored.later, replyTo(batch));
  onStored();
  if (stored.open.length > 0) await pause(p, stored.open, stored.lastSeq);
  else if (failure) throw storedError(failure);
  return true;
}

/** Returns the state of the invocation that contains a batch. Undefined if the session does not contain the batch. */
async function findStored(p: BatchContext, batch: Batch): Promise<StoredBatch | undefined> {
  const session = await p.sessions.getSession(p.ref);
  const id = batch.interruptId === undefined ? batch.id : answerEventId(batch.interruptId);
  const index = session?.events.findIndex((event) => event.id === id) ?? -1;
  if (!session || index === -1) return undefined;
  const { events, lastSeq, marks } = session;
  const { invocationId } = events[index]!;
  const isSame = (each: { invocationId: string }): boolean => each.invocationId === invocationId;
  return {
    invocationId,
    lastSeq,
    isUnfinished: marks?.unfinished === invocationId,
    later: events.slice(index + 1).filter(isSame),
    open: pendingInterrupts(events).filter(isSame),
  };
}

/** Answers an interrupt. Returns false if it cannot be answered any more. */
async function runAnswer(p: BatchContext, batch: Batch, onStored: () => void): Promise<boolean> {
  const session = await p.sessions.getSession(p.ref);
  const interrupt = session && pendingInterrupts(session.events).find(({ id }) => id === batch.interruptId);
  if (!interrupt) return false;
  const { userId, sessionId } = p.ref;
  const { invocationId } = interrupt;
  for (const answer of parseAnswers(batchText(batch.messages), interrupt, p.texts)) {
    const answers: { [id: string]: Json } = { [interrupt.id]: answer };
    try {
      const run = p.runner.resume({ userId, sessionId, invocationId, answers, yieldUserMessage: true });
      const count = await readRun(p, run, batch, onStored);
      if (count === 0) await continueStored(p, batch, onStored);
      return true;
    } catch (error) {
      if (isOneOf(error, lateAnswerCodes)) return false;
      // The agent or its tool was removed since the question. It stays open, because they may come back.
      if (TholeError.is(error, 'INTERRUPT_MISMATCH')) {
        p.onError(error);
        return false;
      }
      if (!TholeError.is(error, 'ANSWER_INVALID')) throw error;
    }
  }
  await p.replies.sendNote('answer', batch.id, p.texts.answerInvalid, replyTo(batch));
  return true;
}

/** Reads a run to its end. Returns the number of its answers and questions. */
async function readRun(p: BatchContext, run: Run, batch: Batch | undefined, onStored: () => void): Promise<number> {
  let count = 0;
  let lastSeq: number | undefined;
  for await (const event of run) {
    lastSeq = event.seq ?? lastSeq;
    if (batch && event.errorCode !== undefined) p.onErrorEvent(event);
    if (event.author === 'user') onStored();
    else if (await p.replies.sendEvent(event, replyTo(batch))) count++;
  }
  const { interrupts, status } = await run.result;
  if (status !== 'paused') return count;
  await pause(p, interrupts, lastSeq);
  return count + 1;
}

async function pause(p: BatchContext, interrupts: readonly Interrupt[], lastSeq?: number): Promise<void> {
  await p.replies.sendQuestion(interrupts);
  p.onPaused(interrupts, lastSeq);
}

function storedError({ errorCode }: Event): TholeError {
  return new TholeError(errorCode!, `The run of an earlier attempt has failed (${errorCode}).`);
}

/** Returns the id, on the channel, of the message that the answer belongs to. */
export function replyTo(batch: Batch | undefined): string | undefined {
  return batch?.messages.at(-1)?.message.id;
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return TholeError.is(error) && codes.includes(error.code);
}
