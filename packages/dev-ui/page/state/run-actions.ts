import type { ClientError, ClientRun, InterruptAnswer } from '@thole/client';
import type { Content, Event, Part, Session, SessionRef, StateMap } from '@thole/core';
import { effect } from '@preact/signals';
import { requestNames } from '@thole/core/kit';
import { explainError } from '../components/explain-error.ts';
import { client } from './client.ts';
import { followRun, onReconnect } from './follow-run.ts';
import { forkOf } from './fork-of.ts';
import { appName, go, userId } from './location.ts';
import { findActiveRun } from './find-active-run.ts';
import { changeRun, runs } from './run.ts';
import { events, openKey, sessionRef, sessionState } from './session.ts';
import { showSession } from './session-actions.ts';
import { sessionKey } from './session-key.ts';
import { refreshSessions } from './sessions.ts';
import { readStored, writeStored } from './stored.ts';
import { titleOf } from './title-of.ts';
import { toast } from './toast.ts';
import { nowMs } from './clock.ts';

/**
 * Sends a message in a session. Resolves to true when the run has started, and to false if it could not start; `run` then has
 * the error.
 */
export function send(ref: SessionRef, content: Content): Promise<boolean> {
  const request = { ...ref, newMessage: content, streaming: true, onReconnect: onReconnect(sessionKey(ref)) };
  return readRun(ref, client.run(request), content);
}

/**
 * Sends answers of one invocation in one request. Resolves to undefined when the invocation continues, otherwise to the error;
 * nothing is then stored.
 */
export async function answerRequests(answers: readonly InterruptAnswer[]): Promise<unknown> {
  const ref = sessionRef.peek();
  if (!ref) return undefined;
  const key = sessionKey(ref);
  const reader = client.answer({ ...ref, answers, streaming: true, onReconnect: onReconnect(key) });
  if (await readRun(ref, reader, { role: 'user', parts: answers.map(toAnswerPart) })) return undefined;
  const { state } = runs.peek().get(key) ?? {};
  if (state?.kind !== 'failed') return undefined;
  // The requests show the error.
  changeRun(key, { state: { kind: 'idle' } });
  return state.error;
}

/** Returns the part that is shown until the stored event arrives. */
function toAnswerPart({ interrupt: { id, kind, toolName = '' }, value }: InterruptAnswer): Part {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const name = kind === 'longRunning' ? toolName : requestNames[kind];
  return { functionResponse: { id, name, response: isObject ? value : { result: value } } };
}

/** Creates a session with the events before the message with this id, and sends another message in it. */
export async function runAgainFrom(eventId: string, parts: Part[]): Promise<boolean> {
  const content: Content = { role: 'user', parts };
  const { state, events: before } = forkOf(events.peek(), eventId, sessionState.peek());
  const ref = await beginSession(titleOf(content), { state, events: before });
  return send(ref, content);
}

/**
 * Removes an invocation of the open session and everything after it, and answers it again. `message` is shown until the stored
 * event arrives. Resolves as `send` does.
 */
export async function answerInvocationAgain(invocationId: string, message: Content = {}): Promise<boolean> {
  const ref = sessionRef.peek();
  if (!ref) return false;
  const request = { ...ref, regenerateInvocationId: invocationId, streaming: true };
  return readRun(ref, client.run({ ...request, onReconnect: onReconnect(sessionKey(ref)) }), message, invocationId);
}

/** Requests the server to stop the run of the open session. If the server refuses, the run is still shown. */
export async function stop(): Promise<void> {
  const reader = runs.peek().get(openKey.peek() ?? '')?.reader;
  if (!reader) return;
  try {
    await reader.cancel();
  } catch (error) {
    const { status } = error as Partial<ClientError>;
    // Without an answer, stops reading. The server then decides whether the run continues.
    if (status === undefined || status === 404) return reader.abort('stopped');
    toast(`Not stopped. ${explainError(error).sentence} Try again.`, { kind: 'bad' });
  }
}

/**
 * Reads the active run of a session that was just read: a run of this page before it was reloaded, or a run of another client.
 */
export function resumeRun(ref: SessionRef, session: Session): void {
  const key = sessionKey(ref);
  if (runs.peek().get(key)?.state.kind === 'running') return;
  const invocationId = readStored(`run:${key}`);
  if (invocationId === undefined) return void followActiveRun(ref);
  const reader = client.resume({ ...ref, invocationId, after: session.lastSeq, onReconnect: onReconnect(key) });
  changeRun(key, { state: { kind: 'running', invocationId, startedAt: nowMs() }, reader, streaming: [] });
  void followRun(ref, reader);
}

/** Shows the run of another client that is active in the open session, if there is one. */
async function followActiveRun(ref: SessionRef): Promise<void> {
  const key = sessionKey(ref);
  const found = await findActiveRun(ref, events.peek(), onReconnect(key));
  if (!found) return;
  // Meanwhile, the user may have sent a message or opened another session.
  if (openKey.peek() !== key || runs.peek().get(key)?.state.kind === 'running') return found.reader.abort();
  const { invocationId, startedAt, reader } = found;
  changeRun(key, { state: { kind: 'running', invocationId, startedAt }, reader, sent: [], streaming: [] });
  // A browser opens only a few connections to a server. The run is found again when its session is opened again.
  const stopWatching = effect(() => {
    if (openKey.value !== key) reader.abort();
  });
  void followRun(ref, found.events).then(stopWatching);
}

/** Creates a session and opens it, unless the user has opened another one meanwhile. */
export async function beginSession(
  displayName: string,
  from?: { state: StateMap; events: Event[] },
): Promise<SessionRef> {
  const user = { appName: appName.peek() ?? '', userId: userId.peek() };
  const openBefore = openKey.peek();
  const state = { ...from?.state, ...(displayName !== '' && { __session_metadata__: { displayName } }) };
  const session = await client.sessions.create({ ...user, state, ...(from?.events.length && { events: from.events }) });
  const isSameView = openKey.peek() === openBefore && appName.peek() === user.appName && userId.peek() === user.userId;
  if (isSameView) {
    showSession(session);
    go({ session: session.id, event: undefined });
  }
  void refreshSessions();
  return { ...user, sessionId: session.id };
}

/** Shows a run that was just requested. Resolves as `send` does. */
async function readRun(ref: SessionRef, reader: ClientRun, sent: Content, replaced?: string): Promise<boolean> {
  const key = sessionKey(ref);
  const startedAt = nowMs();
  // A new session is not open if the user has opened another one meanwhile.
  const afterSeq = openKey.peek() === key ? (events.peek().at(-1)?.seq ?? 0) : 0;
  const message = { content: sent, afterSeq, timestamp: startedAt / 1_000 };
  // The page may still be reading the session after the previous run.
  const before = runs.peek().get(key);
  const messages = [...(before?.sent ?? []), message];
  const replaces = replaced === undefined ? before?.replaces : { invocationId: replaced, afterSeq };
  changeRun(key, { state: { kind: 'running', startedAt }, reader, sent: messages, streaming: [], replaces });
  const ended = followRun(ref, reader, message);
  return reader.invocationId.then(
    (invocationId) => {
      if (runs.peek().get(key)?.reader !== reader) return true;
      writeStored(`run:${key}`, invocationId);
      changeRun(key, { state: { kind: 'running', invocationId, startedAt } });
      return true;
    },
    () => ended.then(() => false),
  );
}
