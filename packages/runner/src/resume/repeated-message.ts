import { getFunctionCalls, getFunctionResponses, isFinalResponse, TholeError } from '@thole/core';
import { canonicalJson } from '@thole/core/kit';
import type { Content, Event, EventLog, Json } from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { isAnswer } from '../history/turn-segments.ts';
import { hasHook } from '../hooks/call-hooks.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { LiveSession } from '../session/live-session.ts';
import { sessionDeleted } from '../session/session-cache.ts';
import { waitForNextEvent } from './join-run.ts';

/** Maximum time to wait for the first event of an active run, in milliseconds. The event may be the same message. */
const MAX_BEGIN_MS = 5_000;

/** The ways to open the session of a message with an id. */
export interface SessionOpening {
  /**
   * Takes the lease. Throws `SESSION_BUSY` if another run holds the session. `mayCreate`: creates a missing session if the runner
   * has `autoCreateSession`.
   */
  openIfFree(p: { mayCreate: boolean }): Promise<OpenRun>;
  /** Takes the lease for a new message by the policy of the runner. Returns undefined if the message has joined another run. */
  openForNew(): Promise<OpenRun | undefined>;
  /** Releases the lease. Nothing has been stored. */
  release(): Promise<void>;
  /** Returns the session without a lease. Nothing can be stored. */
  openWithoutLease(): Promise<OpenRun>;
}

/** The session after one attempt to open it, and the stored message with the id. */
interface Attempt {
  /** The session with the lease. Undefined if another run holds the session. */
  readonly opened: OpenRun | undefined;
  /** The error if another run holds the session, and the invocation of that run. */
  readonly busy: unknown;
  readonly running: string | undefined;
  /** The session with or without the lease. Undefined if it does not exist yet. */
  readonly readable: OpenRun | undefined;
  /** The stored message. */
  readonly earlier: Event | undefined;
}

/**
 * Opens the session for a message with an id. For a stored message, passes the events of its invocation to the reader: if a process
 * runs the invocation, until the invocation ends or pauses. If the process of the invocation has ended before the invocation, sets
 * `task.resume`, and the caller continues it. Returns undefined if nothing has to run. Throws `MESSAGE_ID_TAKEN` if the stored
 * message has other content, and `INVOCATION_ENDED` if the invocation has no answer and the app cannot resume it.
 */
export async function openWithMessageId(
  task: RunTask,
  message: Content,
  opening: SessionOpening,
): Promise<OpenRun | undefined> {
  const tryWith = (open: () => Promise<OpenRun | undefined>): Promise<Attempt | undefined> =>
    tryToOpen(task, { message, opening, open });
  const found = await findOrOpen(task, opening, tryWith);
  if (!found?.earlier) return found?.opened;
  const tryAgain = (): Promise<Attempt | undefined> => tryWith(() => opening.openIfFree({ mayCreate: false }));
  return followInvocation(task, opening, { found, tryAgain });
}

/**
 * Returns the attempt that has found the stored message, or that has opened the session for a new one. Undefined if the new message
 * has joined another run.
 */
async function findOrOpen(
  task: RunTask,
  opening: SessionOpening,
  tryWith: (open: () => Promise<OpenRun | undefined>) => Promise<Attempt | undefined>,
): Promise<Attempt | undefined> {
  const { runtime } = task.runner;
  const beginLimit = runtime.monotonic() + MAX_BEGIN_MS;
  for (;;) {
    const attempt = (await tryWith(() => opening.openIfFree({ mayCreate: true })))!;
    if (attempt.earlier || attempt.opened) return attempt;
    if (!mayStoreMessage(task, attempt) || runtime.monotonic() >= beginLimit) break;
    await waitForNextEvent(task, attempt.readable?.session.lastSeq ?? 0);
  }
  task.opened = undefined;
  const attempt = await tryWith(() => opening.openForNew());
  // Another run may have stored the message during the wait for the lease, so the message was searched again.
  if (attempt && !attempt.earlier && !attempt.opened) throw attempt.busy;
  return attempt;
}

/** Passes the events of the invocation of a stored message to the reader. Returns the session if this run has to continue the invocation. */
async function followInvocation(
  task: RunTask,
  opening: SessionOpening,
  { found, tryAgain }: { found: Attempt; tryAgain: () => Promise<Attempt | undefined> },
): Promise<OpenRun | undefined> {
  let wasFree = false;
  /** `seq` of the newest event that was read. */
  let after = 0;
  for (let attempt: Attempt | undefined = found; ; attempt = await tryAgain()) {
    const { earlier, opened, readable, running }: Partial<Attempt> = attempt ?? {};
    if (!readable || !earlier) throw sessionDeleted(task.ref);
    const { invocationId } = earlier;
    const hasEnded = interruptsOf(readable.session).endOf(invocationId) !== undefined;
    const isUnfinished = readable.session.unfinished === invocationId && !hasEnded;
    const isOfLease = task.invocationId === invocationId;
    task.invocationId = invocationId;
    if (opened && isUnfinished && !isOfLease) {
      // The lease must name the invocation, so that other processes can follow, join and cancel it.
      await opening.release();
      continue;
    }
    task.reportOpened();
    after = await deliver(task, readable, { earlier, after });
    if (opened && isUnfinished) {
      task.resume = { invocationId, answers: {} };
      return opened;
    }
    if (opened || (running !== undefined && running !== invocationId && !isUnfinished)) {
      if (!task.isResumable) assertAnswered(task, readable.session);
      return undefined;
    }
    // A session that has just become free is tried again at once.
    if (running !== undefined || wasFree) await waitForNextEvent(task, readable.session.lastSeq);
    wasFree = running === undefined;
  }
}

/** Opens the session, or reads it if another run holds it, and searches the message. Returns undefined if the message has joined another run. */
async function tryToOpen(
  task: RunTask,
  { message, opening, open }: { message: Content; opening: SessionOpening; open: () => Promise<OpenRun | undefined> },
): Promise<Attempt | undefined> {
  let opened: OpenRun | undefined;
  let busy: unknown;
  try {
    opened = await open();
    if (!opened) return undefined;
  } catch (error) {
    if (!TholeError.is(error, 'SESSION_BUSY') || task.lease) throw error;
    busy = error;
  }
  // Read before the events: if the invocation has ended, all its events are stored.
  const running = opened ? undefined : await task.sessionAccess.currentInvocation();
  const readable = opened ?? (await openWithoutLease(task, opening));
  const earlier = readable && findRepeated(task, readable.session, message);
  return { opened, busy, running, readable, earlier };
}

/** Reads the session, or its new events. Returns undefined if it does not exist yet: the other run creates it. */
async function openWithoutLease(task: RunTask, opening: SessionOpening): Promise<OpenRun | undefined> {
  const { opened, sessionAccess, signal } = task;
  try {
    if (!opened) return (task.opened = await opening.openWithoutLease());
    const { session } = opened;
    const newer = await sessionAccess.service.getSession({ ...session.ref, afterSeq: session.lastSeq, signal });
    if (newer?.incarnation !== session.incarnation) throw sessionDeleted(task.ref);
    session.catchUp(newer, undefined);
    return opened;
  } catch (error) {
    if (TholeError.is(error, 'SESSION_NOT_FOUND') && !opened) return undefined;
    throw error;
  }
}

/**
 * True if the active run has stored no message yet. It may be about to store the same message, and a new message must not stop it
 * or fail. With the policy `queue`, the message waits for the lease, and is then searched again.
 */
function mayStoreMessage({ sessionAccess }: RunTask, { readable, running }: Attempt): boolean {
  if (running === undefined || sessionAccess.isQueued) return false;
  // A run of `regenerate` stores the marker of its rewind before its message.
  const isOther = ({ content, invocationId }: Event): boolean => invocationId !== running || content === undefined;
  return !readable || [...readable.session.log].every(isOther);
}

/** Passes the stored events of the invocation after a `seq` to the reader. Returns the `seq` of the newest event. */
async function deliver(
  task: RunTask,
  { delivery, session }: OpenRun,
  { earlier, after }: { earlier: Event; after: number },
): Promise<number> {
  for (const event of eventsAfter(session.log, Math.max(after, earlier.seq! - 1))) {
    const isShown = event.id !== earlier.id || task.request.yieldUserMessage === true;
    if (event.invocationId !== earlier.invocationId || !isShown) continue;
    await delivery.passToReader(event);
    task.state.throwIfStopped();
  }
  return session.lastSeq;
}

/** Returns the events with a higher `seq`, oldest first. */
function eventsAfter(log: EventLog, seq: number): Event[] {
  return [...log].filter((event) => event.seq! > seq);
}

/** Returns the stored message with the id of the request. Throws `MESSAGE_ID_TAKEN` if the stored message has other content. */
function findRepeated(task: RunTask, session: LiveSession, message: Content): Event | undefined {
  const { log } = session;
  const { messageId } = task.request;
  for (let i = log.length - 1; i >= 0; i--) {
    const earlier = log.at(i)!;
    if (earlier.id !== messageId) continue;
    if (task.assertRepeated) task.assertRepeated(task, session, earlier);
    else assertSameMessage(task, earlier, message);
    return earlier;
  }
  return undefined;
}

function assertSameMessage(task: RunTask, earlier: Event, message: Content | undefined): void {
  // Plugins may have changed the stored message.
  const mayDiffer = hasHook(task.runner.plugins, 'onUserMessageCallback') || task.runConfig.saveInputBlobsAsArtifacts;
  if (mayDiffer || message === undefined) return;
  if (canonicalJson(partsOf(earlier.content)) !== canonicalJson(partsOf(message))) throw messageIdTaken(task);
}

/**
 * Throws `MESSAGE_ID_TAKEN` if the stored message with the `messageId` of a `regenerate` request is not from the same request. An
 * undefined `message` is the message of the invocation.
 */
export function assertRegenerated(
  task: RunTask,
  session: LiveSession,
  p: { earlier: Event; invocationId: string; message: Content | undefined },
): void {
  const { earlier } = p;
  const isMarker = ({ actions, invocationId }: Event): boolean =>
    invocationId === earlier.invocationId && actions.rewindBeforeInvocationId === p.invocationId;
  if (![...session.log].some(isMarker)) throw messageIdTaken(task);
  assertSameMessage(task, earlier, p.message);
}

function messageIdTaken({ ref, request }: RunTask): TholeError {
  const { messageId } = request;
  const text = `Session "${ref.sessionId}" has another message with messageId "${messageId}". Use a new id for a new message.`;
  return new TholeError('MESSAGE_ID_TAKEN', text);
}

/** Throws `INVOCATION_ENDED` if the invocation has neither an answer nor an error, because its process has ended. */
function assertAnswered({ invocationId, ref }: RunTask, { log }: LiveSession): void {
  const events = [...log].filter((event) => event.invocationId === invocationId && event.author !== 'user');
  const answered = new Set(events.flatMap((event) => getFunctionResponses(event).map(({ id }) => id)));
  const hasOpenCall = events.some((event) =>
    getFunctionCalls(event).some(({ id }) => !answered.has(id) && !event.longRunningToolIds?.includes(id!)),
  );
  const last = events.findLast((event) => isAnswer(event) || event.errorCode !== undefined);
  const isEnd = last && (last.errorCode !== undefined || last.actions.escalate === true || isFinalResponse(last));
  if (isEnd && (!hasOpenCall || last.errorCode !== undefined)) return;
  throw new TholeError(
    'INVOCATION_ENDED',
    `Invocation "${invocationId}" of session "${ref.sessionId}" has no answer: its process ended before. The app has ` +
      'resumability.isResumable: false, so it cannot continue. Send the message again with a new messageId.',
  );
}

function partsOf(content: Event['content']): Json {
  return (content?.parts ?? []) as unknown as Json;
}
