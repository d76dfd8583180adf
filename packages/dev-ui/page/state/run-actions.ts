import { ClientError } from '@thole/client';
import type { ClientRun } from '@thole/client';
import type { Content, Event, FunctionCall, JsonObject, Part, Session, SessionRef, StateMap } from '@thole/core';
import { client } from './client.ts';
import { forkOf } from './fork-of.ts';
import { joinPartial } from './join-partials.ts';
import { appName, go, userId } from './location.ts';
import { changeRun, runs } from './run.ts';
import { events, openKey, sessionRef, sessionState } from './session.ts';
import { refreshSession, showSession, takeEvent } from './session-actions.ts';
import { sessionKey } from './session-key.ts';
import { refreshSessions } from './sessions.ts';
import { readStored, writeStored } from './stored.ts';
import { titleOf } from './title-of.ts';

/** Partials are put on the page together, this often. */
const FRAME_MS = 32;

/**
 * Sends a message in the open session; where none is open, begins one named after the message. Resolves as soon as its run has
 * begun; false where it did not, and why stands in `run`.
 */
export async function send(parts: Part[]): Promise<boolean> {
  const content: Content = { role: 'user', parts };
  const ref = sessionRef.peek() ?? (await beginSession(titleOf(content)));
  return runIn(ref, { newMessage: content }, content);
}

/** Answers a call that waits for it. Resolves as `send`. */
export async function answerCall(event: Event, call: FunctionCall, response: JsonObject): Promise<boolean> {
  const ref = sessionRef.peek();
  if (!ref) return false;
  const part: Part = { functionResponse: { ...(call.id !== undefined && { id: call.id }), name: call.name, response } };
  const newMessage: Content = { role: 'user', parts: [part] };
  return runIn(ref, { newMessage, invocationId: event.invocationId, functionCallEventId: event.id }, newMessage);
}

/** Goes another way: a new session with what was before the message with this id, and another message in its place. */
export async function runAgainFrom(eventId: string, parts: Part[]): Promise<boolean> {
  const content: Content = { role: 'user', parts };
  const { state, events: before } = forkOf(events.peek(), eventId, sessionState.peek());
  const ref = await beginSession(titleOf(content), { state, events: before });
  return runIn(ref, { newMessage: content }, content);
}

/** Asks the server to stop the run of the open session. */
export async function stop(): Promise<void> {
  const reader = runs.peek().get(openKey.peek() ?? '')?.reader;
  if (!reader) return;
  // Where the server cannot be asked, it is left: what becomes of the run is the server's to say.
  await reader.cancel().catch(() => reader.abort('stopped'));
}

/** Takes up the run that was going on when the page was closed or loaded anew. */
export function resumeRun(ref: SessionRef, session: Session): void {
  const key = sessionKey(ref);
  const invocationId = readStored(`run:${key}`);
  if (invocationId === undefined || runs.peek().get(key)?.state.kind === 'running') return;
  const reader = client.resume({ ...ref, invocationId, after: session.lastSeq, onReconnect: onReconnect(key) });
  changeRun(key, { state: { kind: 'running', invocationId, startedAt: Date.now() }, reader, streaming: [] });
  void follow(ref, reader, 'resumed');
}

/** Makes a session and opens it. */
export async function beginSession(
  displayName: string,
  from?: { state: StateMap; events: Event[] },
): Promise<SessionRef> {
  const user = { appName: appName.peek() ?? '', userId: userId.peek() };
  const state = { ...from?.state, ...(displayName !== '' && { __session_metadata__: { displayName } }) };
  const session = await client.sessions.create({ ...user, state, ...(from?.events.length && { events: from.events }) });
  showSession(session);
  go({ session: session.id, event: undefined });
  void refreshSessions();
  return { ...user, sessionId: session.id };
}

async function runIn(
  ref: SessionRef,
  what: { newMessage: Content; invocationId?: string; functionCallEventId?: string },
  sent: Content,
): Promise<boolean> {
  const key = sessionKey(ref);
  const reader = client.run({ ...ref, ...what, streaming: true, onReconnect: onReconnect(key) });
  changeRun(key, { state: { kind: 'running', startedAt: Date.now() }, reader, sent, streaming: [] });
  const ended = follow(ref, reader, 'begun');
  return reader.invocationId.then(
    (invocationId) => {
      if (runs.peek().get(key)?.reader !== reader) return true;
      writeStored(`run:${key}`, invocationId);
      changeRun(key, { state: { kind: 'running', invocationId, startedAt: Date.now() } });
      return true;
    },
    () => ended.then(() => false),
  );
}

async function follow(ref: SessionRef, reader: ClientRun, how: 'begun' | 'resumed'): Promise<void> {
  const key = sessionKey(ref);
  const isOpen = (): boolean => openKey.peek() === key;
  const pieces = new Pieces(key);
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
      // The user's own message need not come with the run.
      if (!refreshed && event.author !== 'user' && runs.peek().get(key)?.sent) {
        refreshed = true;
        void refreshSession().then(() => changeRun(key, { sent: undefined }));
      }
    }
    finish({ kind: 'idle' });
  } catch (error) {
    const gone = how === 'resumed' && ClientError.is(error) && (error.status === 404 || error.code === 'RUN_ABORTED');
    const stopped = ClientError.is(error, 'ABORTED');
    finish(gone || stopped ? { kind: 'idle' } : { kind: 'failed', error });
  }

  function finish(state: { kind: 'idle' } | { kind: 'failed'; error: unknown }): void {
    pieces.clear();
    writeStored(`run:${key}`, undefined);
    changeRun(key, { state, reader: undefined, ...(!began && { sent: undefined, streaming: [] }) });
    void (isOpen() ? refreshSession() : Promise.resolve()).then(() => {
      // A newer run may have begun meanwhile.
      if (runs.peek().get(key)?.state === state) changeRun(key, { sent: undefined, streaming: [] });
      void refreshSessions();
    });
  }
}

const onReconnect = (key: string) => (): void => {
  const state = runs.peek().get(key)?.state;
  if (state?.kind === 'running') changeRun(key, { state: { ...state, reconnecting: true }, streaming: [] });
};

/** Partials on their way to the page: gathered, so that a fast model does not draw it a thousand times a second. */
class Pieces {
  readonly #key: string;
  #waiting: Event[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  add(piece: Event): void {
    this.#waiting.push(piece);
    this.#timer ??= setTimeout(() => this.#show(), FRAME_MS);
  }

  /** The whole event is here. */
  end(event: Event): void {
    this.#show();
    const streaming = this.#streaming().filter((each) => each.id !== event.id);
    const state = runs.peek().get(this.#key)?.state;
    changeRun(this.#key, { streaming, ...(state?.kind === 'running' && { state: { ...state, reconnecting: false } }) });
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pieces = this.#waiting;
    this.#waiting = [];
    if (pieces.length > 0) changeRun(this.#key, { streaming: pieces.reduce(joinPartial, this.#streaming()) });
  }

  #streaming(): readonly Event[] {
    return runs.peek().get(this.#key)?.streaming ?? [];
  }
}
