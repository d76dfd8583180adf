import { getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { applyRewinds, isRuntimeMetadata, newestFirst } from '@thole/core/kit';
import type { Content, Event, EventLog, Json, RunConfig, RunLimits } from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { recordedCall } from '../history/recorded-call.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { LiveSession } from '../session/live-session.ts';

/**
 * Returns the invocation that a resumed run continues: the invocation of the answers, otherwise the only one that is unfinished or
 * paused. Throws `INTERRUPT_NOT_FOUND` for an unknown answer id, `INVOCATION_NOT_FOUND` if there is no such invocation, and
 * `INVALID_INPUT` if there are several.
 */
export function findInvocation(session: LiveSession, answerIds: readonly string[]): string {
  const found = new Set(answerIds.map((id) => invocationOf(session, id)));
  if (found.size === 0) for (const each of resumableInvocations(session)) found.add(each);
  const [first, ...others] = found;
  if (first === undefined) {
    const message = `Session "${session.ref.sessionId}" has no invocation that is paused or unfinished.`;
    throw new TholeError('INVOCATION_NOT_FOUND', message);
  }
  if (others.length === 0) return first;
  throw new TholeError(
    'INVALID_INPUT',
    answerIds.length > 0
      ? `The answers belong to several invocations: ${[...found].join(', ')}. Send them in separate requests.`
      : `Several invocations can be resumed. Set invocationId to one of: ${[...found].join(', ')}.`,
  );
}

function invocationOf(session: LiveSession, id: string): string {
  const recorded = interruptsOf(session).find(id)?.event ?? recordedCall(session.log, id)?.event;
  if (recorded) return recorded.invocationId;
  throw interruptNotFound(session, id);
}

function resumableInvocations(session: LiveSession): string[] {
  const open = [...interruptsOf(session).open].map(({ interrupt }) => interrupt.invocationId);
  return session.unfinished ? [session.unfinished, ...open] : open;
}

/** Returns the error of an answer to an interrupt that the session does not have, or that a rewind has removed. */
export function interruptNotFound({ log, ref }: LiveSession, id: string): TholeError {
  // `log` also contains the events that a rewind has removed.
  const isRemoved = log.epoch > 0 && [...log].some((event) => getFunctionCalls(event).some((call) => call.id === id));
  return new TholeError(
    'INTERRUPT_NOT_FOUND',
    isRemoved
      ? `Interrupt "${id}" was removed by a rewind of session "${ref.sessionId}".`
      : `Session "${ref.sessionId}" has no interrupt "${id}".`,
  );
}

/** Returns the visible events of an invocation, oldest first. Throws `INVOCATION_NOT_FOUND` if there are none. */
export function eventsOf(task: RunTask): Event[] {
  const { log } = task.session;
  const visible = log.epoch === 0 ? log : applyRewinds([...log]);
  const events: Event[] = [];
  for (let i = 0; i < visible.length; i++) {
    const event = visible.at(i)!;
    if (event.invocationId === task.invocationId) events.push(event);
  }
  if (events.length > 0) return events;
  const { invocationId, ref } = task;
  const isRemoved = log.epoch > 0 && [...log].some((event) => event.invocationId === invocationId);
  const message = isRemoved
    ? `Invocation "${invocationId}" was removed by a rewind of session "${ref.sessionId}".`
    : `Session "${ref.sessionId}" does not contain invocation "${invocationId}".`;
  throw new TholeError('INVOCATION_NOT_FOUND', message);
}

/** Returns the history before an event of the log. */
export function historyBefore(log: EventLog, event: Event): EventLog {
  // Searches from the end and copies nothing, because most resumed invocations are recent, and histories can be long.
  let length = log.length - 1;
  while (log.at(length)!.id !== event.id) length--;
  return {
    length,
    epoch: log.epoch,
    at: (index) => (index < length ? log.at(index < 0 ? length + index : index) : undefined),
    [Symbol.iterator]: () => [...log].slice(0, length)[Symbol.iterator](),
  };
}

/** Returns the message of the user that began the invocation. Empty if a plugin dropped it. */
export function messageOf(events: readonly Event[]): Content {
  const first = events.find(({ author, content }) => author === 'user' && content !== undefined);
  return first && getFunctionResponses(first).length === 0 ? first.content! : (first?.content ?? {});
}

/** Returns the error code of the invocation's closing record. Undefined unless the record is the newest event of the invocation. */
export function lastRecordOf(log: EventLog, invocationId: string): string | undefined {
  for (const event of newestFirst(log)) {
    if (event.invocationId !== invocationId) continue;
    return event.content === undefined ? event.errorCode : undefined;
  }
  return undefined;
}

/** Limits of an invocation, in `customMetadata.runLimits` of its first event. */
interface StoredLimits {
  readonly maxLlmCalls?: number | undefined;
  readonly limits?: RunLimits | undefined;
}

/** Returns the metadata that stores the limits of the run with its message. Undefined if the run has no limits. */
export function limitsMetadata({ isResumable, runConfig }: RunTask): Event['customMetadata'] {
  const { maxLlmCalls, limits } = runConfig;
  if (!isResumable || (maxLlmCalls === undefined && limits === undefined)) return undefined;
  const stored = { ...(maxLlmCalls !== undefined && { maxLlmCalls }), ...(limits && { limits: { ...limits } }) };
  return { runLimits: stored as Json };
}

/** Applies the stored limits and metadata of the invocation's first run, unless this run sets them. */
export function useStoredConfig(task: RunTask, first: Event): void {
  const { runLimits, ...others } = first.customMetadata ?? {};
  const customMetadata = Object.fromEntries(Object.entries(others).filter(([name]) => !isRuntimeMetadata(name)));
  const given: RunConfig = task.runConfig;
  if (given.customMetadata === undefined && first.author === 'user' && Object.keys(customMetadata).length > 0)
    task.runConfig = { ...given, customMetadata };
  const { maxLlmCalls, limits } = (runLimits ?? {}) as StoredLimits;
  task.calls.setLimits({
    maxCalls: given.maxLlmCalls === undefined ? maxLlmCalls : undefined,
    limits: given.limits === undefined ? limits : undefined,
  });
}
