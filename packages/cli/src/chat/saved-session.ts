import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createEvent } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Event, EventInit, JsonObject, Session, SessionService, StateMap, UserRef } from '@thole/core';
import { usageError } from '../options/usage-error.ts';

/** File systems limit a name, with its ending, to 255 bytes. */
const MAX_NAME_LENGTH = 200;

/** The content of a file with a saved session of Thole or ADK. */
export interface SavedSession {
  state: StateMap;
  events: readonly EventInit[];
}

/** Messages to send instead of typed lines, and the initial state of the session. */
export interface Replay {
  state: StateMap;
  queries: readonly string[];
}

/** Reads a file for `--replay`: `{"state": {…}, "queries": ["…"]}`. `state` is optional. */
export async function readReplay(path: string, displayName: string): Promise<Replay> {
  const { state = {}, queries } = await readJsonObject(path, displayName);
  if (!isPlainObject(state)) throw usageError(`state of ${displayName} must be an object.`);
  if (!Array.isArray(queries) || !queries.every((each) => typeof each === 'string')) {
    throw usageError(`queries of ${displayName} must be a list of strings.`);
  }
  return { state: state as StateMap, queries };
}

/** Reads a file of `--save_session` or ADK. */
export async function readSavedSession(path: string, displayName: string): Promise<SavedSession> {
  const { state = {}, events } = await readJsonObject(path, displayName);
  if (!isPlainObject(state)) throw usageError(`state of ${displayName} must be an object.`);
  if (!Array.isArray(events) || !events.every((each) => typeof (each as JsonObject | null)?.['author'] === 'string')) {
    throw usageError(`events of ${displayName} must be a list of events, each with an author.`);
  }
  return { state: state as StateMap, events: events as unknown as EventInit[] };
}

/** Returns the name of the file for a session. It is valid on all systems: a long name is cut and gets a hash. */
export function savedFileName(sessionId: string): string {
  const name = encodeURIComponent(sessionId).replaceAll('*', '%2A');
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 16);
  return `${name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, 180)}-${hash}`}.session.json`;
}

/** Returns the text of the file for a session. */
export function savedText({ id, appName, userId, state, events, lastUpdateTime }: Session): string {
  return `${JSON.stringify({ id, appName, userId, state, events, lastUpdateTime }, undefined, 2)}\n`;
}

/**
 * Creates a session from a file. Existing `user:` state and all `app:` state stay unchanged: they may be newer than the
 * file.
 */
export async function restoreSession(
  service: SessionService,
  ref: UserRef & { sessionId?: string | undefined },
  saved: SavedSession,
): Promise<string> {
  const events = saved.events.map((event) => withoutSharedState(createEvent(event)));
  const eventKeys = new Set(events.flatMap((event) => Object.keys(event.actions.stateDelta)));
  const userState = await service.getUserState(ref);
  const state = Object.entries(saved.state).filter(
    ([key]) => !/^(?:app|temp):/.test(key) && !Object.hasOwn(userState, key) && !eventKeys.has(key),
  );
  const { id } = await service.createSession({ ...ref, state: Object.fromEntries(state) });
  const session = { appName: ref.appName, userId: ref.userId, sessionId: id };
  for (const event of events) await service.appendEvent({ session, event });
  return id;
}

function withoutSharedState({ seq: _seq, ...event }: Event): Event {
  const delta = Object.entries(event.actions.stateDelta).filter(([key]) => !/^(?:app|user|temp):/.test(key));
  return { ...event, actions: { ...event.actions, stateDelta: Object.fromEntries(delta) } };
}

async function readJsonObject(path: string, displayName: string): Promise<{ [name: string]: unknown }> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageError(`${displayName} cannot be read.`);
  });
  let value: unknown;
  try {
    // Editors on Windows may begin the file with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch {
    throw usageError(`${displayName} must be JSON.`);
  }
  if (!isPlainObject(value)) throw usageError(`${displayName} must contain a JSON object.`);
  return value as { [name: string]: unknown };
}
