import { ClientError } from '@thole/client';
import type { Event, SessionRef } from '@thole/core';
import { StreamingAnswers } from './streaming-answers.ts';
import { keepUnfinished } from './unfinished.ts';
import { changeRun, runs } from './run.ts';
import { events, openKey } from './session.ts';
import { refreshSession, addStoredEvent } from './session-actions.ts';
import type { SentMessage } from './sent-message.ts';
import { sessionKey } from './session-key.ts';
import { refreshSessions } from './sessions.ts';
import { writeStored } from './stored.ts';

/**
 * Reads a run to its end and shows its events if its session is open. `message` is the sent message that started it. Never
 * rejects: the outcome is in `runs`.
 */
export async function followRun(ref: SessionRef, reader: AsyncIterable<Event>, message?: SentMessage): Promise<void> {
  const key = sessionKey(ref);
  const isOpen = (): boolean => openKey.peek() === key;
  const answers = new StreamingAnswers(key);
  let hasStarted = false;
  let isRefreshed = false;
  try {
    for await (const event of reader) {
      hasStarted = true;
      if (event.partial) {
        answers.add(event);
        continue;
      }
      answers.end(event);
      if (event.author === 'user') forgetSent(key, message);
      if (!isOpen()) continue;
      addStoredEvent(event);
      // The run's events may not include the user's message, so the session is read again.
      if (!isRefreshed && event.author !== 'user' && isSent(key, message)) {
        isRefreshed = true;
        void refreshSession().then((session) => session && forgetSent(key, message));
      }
    }
    finish({ kind: 'idle' });
  } catch (error) {
    const isMissing = !message && ClientError.is(error) && error.status === 404;
    const isStopped = ClientError.is(error, 'ABORTED') || ClientError.is(error, 'RUN_ABORTED');
    finish(isMissing || isStopped ? { kind: 'idle' } : { kind: 'failed', error });
  }

  function finish(state: { kind: 'idle' } | { kind: 'failed'; error: unknown }): void {
    answers.flush();
    const streamed = runs.peek().get(key)?.streaming ?? [];
    writeStored(`run:${key}`, undefined);
    changeRun(key, { state, reader: undefined, ...(!hasStarted && { streaming: [], replaces: undefined }) });
    if (!hasStarted) forgetSent(key, message);
    const isShown = isOpen();
    void (isShown ? refreshSession() : Promise.resolve(undefined)).then((session) => {
      // Stored events of a stopped or failed run do not include unfinished answers.
      if (isOpen() && (state.kind === 'failed' || endedEarly(streamed))) keepUnfinished(key, streamed);
      // If the session could not be read, the message is shown and a replaced invocation is hidden until their events are known.
      const isKnown = session !== undefined || !isShown;
      // A newer run may have started meanwhile.
      if (runs.peek().get(key)?.state === state)
        changeRun(key, { streaming: [], ...(isKnown && { sent: [], replaces: undefined }) });
      else if (isKnown) forgetSent(key, message);
      void refreshSessions();
    });
  }
}

/** True if the event of a sent message is not known yet. */
function isSent(key: string, message: SentMessage | undefined): boolean {
  return message !== undefined && runs.peek().get(key)?.sent.includes(message) === true;
}

/** Removes a sent message whose event is known or was not stored. Other messages stay. */
function forgetSent(key: string, message: SentMessage | undefined): void {
  const { sent = [] } = runs.peek().get(key) ?? {};
  if (message && sent.includes(message)) changeRun(key, { sent: sent.filter((each) => each !== message) });
}

/** True if the session records that the run of these answers was stopped or failed. */
function endedEarly(streamed: readonly Event[]): boolean {
  const { invocationId } = streamed[0] ?? {};
  return events.peek().findLast((event) => event.invocationId === invocationId)?.errorCode !== undefined;
}

/** Returns a function that marks a lost connection. Removes unfinished answers, because they may start again. */
export const onReconnect = (key: string) => (): void => {
  const state = runs.peek().get(key)?.state;
  if (state?.kind === 'running') changeRun(key, { state: { ...state, reconnecting: true }, streaming: [] });
};
