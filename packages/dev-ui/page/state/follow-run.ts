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

/** Reads a run to its end and shows its events if its session is open. Never rejects: the outcome is in `runs`. */
export async function followRun(
  ref: SessionRef,
  reader: AsyncIterable<Event>,
  origin: 'started' | 'resumed',
): Promise<void> {
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
      const { sent } = runs.peek().get(key) ?? {};
      if (event.author === 'user') forgetSent(key, sent);
      if (!isOpen()) continue;
      addStoredEvent(event);
      // The run's events may not include the user's message, so the session is read again.
      if (!isRefreshed && event.author !== 'user' && sent) {
        isRefreshed = true;
        void refreshSession().then((session) => session && forgetSent(key, sent));
      }
    }
    finish({ kind: 'idle' });
  } catch (error) {
    const isMissing = origin === 'resumed' && ClientError.is(error) && error.status === 404;
    const isStopped = ClientError.is(error, 'ABORTED') || ClientError.is(error, 'RUN_ABORTED');
    finish(isMissing || isStopped ? { kind: 'idle' } : { kind: 'failed', error });
  }

  function finish(state: { kind: 'idle' } | { kind: 'failed'; error: unknown }): void {
    answers.flush();
    const streamed = runs.peek().get(key)?.streaming ?? [];
    writeStored(`run:${key}`, undefined);
    changeRun(key, { state, reader: undefined, ...(!hasStarted && { sent: undefined, streaming: [] }) });
    const isShown = isOpen();
    void (isShown ? refreshSession() : Promise.resolve(undefined)).then((session) => {
      // Stored events of a stopped or failed run do not include unfinished answers.
      if (isOpen() && (state.kind === 'failed' || endedEarly(streamed))) keepUnfinished(key, streamed);
      // A newer run may have started meanwhile.
      if (runs.peek().get(key)?.state !== state) return void refreshSessions();
      // If the session could not be read, the message is shown until its event is known.
      changeRun(key, { streaming: [], ...((session || !isShown) && { sent: undefined }) });
      void refreshSessions();
    });
  }
}

/** Removes a sent message whose event is known, but not a newer message. */
function forgetSent(key: string, sent: SentMessage | undefined): void {
  if (runs.peek().get(key)?.sent === sent) changeRun(key, { sent: undefined });
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
