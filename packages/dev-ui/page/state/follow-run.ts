import { ClientError } from '@thole/client';
import type { ClientRun } from '@thole/client';
import type { Event, SessionRef } from '@thole/core';
import { GrowingAnswers } from './growing-answers.ts';
import { keepUnfinished } from './unfinished.ts';
import { changeRun, runs } from './run.ts';
import { events, openKey } from './session.ts';
import { refreshSession, takeEvent } from './session-actions.ts';
import { sessionKey } from './session-key.ts';
import { refreshSessions } from './sessions.ts';
import { writeStored } from './stored.ts';

/** Reads a run to its end and shows its events if its session is open. Never rejects: the outcome is in `runs`. */
export async function followRun(ref: SessionRef, reader: ClientRun, how: 'begun' | 'resumed'): Promise<void> {
  const key = sessionKey(ref);
  const isOpen = (): boolean => openKey.peek() === key;
  const pieces = new GrowingAnswers(key);
  let began = false;
  let refreshed = false;
  try {
    for await (const event of reader) {
      began = true;
      if (event.partial) {
        pieces.add(event);
        continue;
      }
      pieces.end(event);
      if (event.author === 'user') changeRun(key, { sent: undefined });
      if (!isOpen()) continue;
      takeEvent(event);
      // The user's own message may be missing in the run's events.
      if (!refreshed && event.author !== 'user' && runs.peek().get(key)?.sent) {
        refreshed = true;
        void refreshSession().then(() => changeRun(key, { sent: undefined }));
      }
    }
    finish({ kind: 'idle' });
  } catch (error) {
    const gone = how === 'resumed' && ClientError.is(error) && error.status === 404;
    const stopped = ClientError.is(error, 'ABORTED') || ClientError.is(error, 'RUN_ABORTED');
    finish(gone || stopped ? { kind: 'idle' } : { kind: 'failed', error });
  }

  function finish(state: { kind: 'idle' } | { kind: 'failed'; error: unknown }): void {
    pieces.flush();
    const streamed = runs.peek().get(key)?.streaming ?? [];
    writeStored(`run:${key}`, undefined);
    changeRun(key, { state, reader: undefined, ...(!began && { sent: undefined, streaming: [] }) });
    void (isOpen() ? refreshSession() : Promise.resolve()).then(() => {
      // Stored events of a stopped or failed run do not include unfinished answers.
      if (isOpen() && (state.kind === 'failed' || endedEarly(streamed))) keepUnfinished(key, streamed);
      // A newer run may have started meanwhile.
      if (runs.peek().get(key)?.state === state) changeRun(key, { sent: undefined, streaming: [] });
      void refreshSessions();
    });
  }
}

/** True if the session records that the run of these answers was stopped or failed. */
function endedEarly(streamed: readonly Event[]): boolean {
  const { invocationId } = streamed[0] ?? {};
  return events.peek().findLast((event) => event.invocationId === invocationId)?.errorCode !== undefined;
}

/** Marks a lost connection: unfinished answers may start again. */
export const onReconnect = (key: string) => (): void => {
  const state = runs.peek().get(key)?.state;
  if (state?.kind === 'running') changeRun(key, { state: { ...state, reconnecting: true }, streaming: [] });
};
