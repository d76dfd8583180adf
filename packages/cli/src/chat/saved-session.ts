import { readFile } from 'node:fs/promises';
import { createEvent } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Event, EventInit, JsonObject, Session, SessionService, StateMap, UserRef } from '@thole/core';
import { usageError } from '../options/usage-error.ts';

/** A session as a file holds it: what ADK saves, too. */
export interface SavedSession {
  state: StateMap;
  events: readonly EventInit[];
}

/** What is said to an agent instead of a person's lines, over a state to begin with. */
export interface Replay {
  state: StateMap;
  queries: readonly string[];
}

/** Reads a file of `--replay`: `{"state": {…}, "queries": ["…"]}`, where the state may be missing. */
export async function readReplay(path: string, shown: string): Promise<Replay> {
  const { state = {}, queries } = await readJsonObject(path, shown);
  if (!isPlainObject(state)) throw usageError(`state of ${shown} must be an object.`);
  if (!Array.isArray(queries) || !queries.every((each) => typeof each === 'string')) {
    throw usageError(`queries of ${shown} must be a list of strings.`);
  }
  return { state: state as StateMap, queries };
}

/** Reads a file that `--save_session` or ADK has written. */
export async function readSavedSession(path: string, shown: string): Promise<SavedSession> {
  const { state = {}, events } = await readJsonObject(path, shown);
  if (!isPlainObject(state)) throw usageError(`state of ${shown} must be an object.`);
  if (!Array.isArray(events) || !events.every((each) => typeof (each as JsonObject | null)?.['author'] === 'string')) {
    throw usageError(`events of ${shown} must be a list of events, each with an author.`);
  }
  return { state: state as StateMap, events: events as unknown as EventInit[] };
}

/** The text of a file for a session. */
export function savedText({ id, appName, userId, state, events, lastUpdateTime }: Session): string {
  return `${JSON.stringify({ id, appName, userId, state, events, lastUpdateTime }, undefined, 2)}\n`;
}

/**
 * Makes a session of a file's. What the user has in `user:` state by now, and all `app:` state, stays as it is: an old file must not
 * overwrite it.
 */
export async function restoreSession(
  service: SessionService,
  ref: UserRef & { sessionId?: string | undefined },
  saved: SavedSession,
): Promise<string> {
  const events = saved.events.map((event) => withoutShared(createEvent(event)));
  const written = new Set(events.flatMap((event) => Object.keys(event.actions.stateDelta)));
  const ofUser = await service.getUserState(ref);
  const state = Object.entries(saved.state).filter(
    ([key]) => !/^(?:app|temp):/.test(key) && !Object.hasOwn(ofUser, key) && !written.has(key),
  );
  const { id } = await service.createSession({ ...ref, state: Object.fromEntries(state) });
  const session = { appName: ref.appName, userId: ref.userId, sessionId: id };
  for (const event of events) await service.appendEvent({ session, event });
  return id;
}

function withoutShared({ seq: _seq, ...event }: Event): Event {
  const delta = Object.entries(event.actions.stateDelta).filter(([key]) => !/^(?:app|user|temp):/.test(key));
  return { ...event, actions: { ...event.actions, stateDelta: Object.fromEntries(delta) } };
}

async function readJsonObject(path: string, shown: string): Promise<{ [name: string]: unknown }> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageError(`${shown} cannot be read.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${shown} must be JSON.`);
  }
  if (!isPlainObject(value)) throw usageError(`${shown} must hold a JSON object.`);
  return value as { [name: string]: unknown };
}
