import { createEventActions } from '@thole/core';
import type { Event, StateMap } from '@thole/core';
import { forkOf } from '../state/fork-of.ts';

/** Returns events and state of a session file of Thole or of ADK's web UI. Throws an error for the user if it is invalid. */
export function readSessionFile(text: string): { state: StateMap; events: Event[] } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON.');
  }
  const { events, state } = (typeof file === 'object' && file !== null ? file : {}) as {
    events?: unknown;
    state?: unknown;
  };
  if (!Array.isArray(events)) throw new Error('The file has no list of events.');
  const list = (events as unknown[]).map((event, i) => readEvent(event, i));
  const stateMap = typeof state === 'object' && state !== null ? (state as StateMap) : {};
  const { events: plain } = forkOf(list, '', {});
  return { state: sessionStateOf(stateMap), events: plain };
}

function readEvent(event: unknown, i: number): Event {
  const { author, content, actions } = (typeof event === 'object' && event !== null ? event : {}) as Partial<Event>;
  if (typeof author !== 'string') throw new Error(`Event ${i + 1} of the file has no author.`);
  if (content !== undefined && !isReadable(content))
    throw new Error(`Event ${i + 1} of the file has no readable content.`);
  return { ...(event as Event), actions: { ...createEventActions(), ...actions } };
}

/** True for null and for an object whose parts, if there are any, are objects. */
function isReadable(content: unknown): boolean {
  if (typeof content !== 'object') return false;
  const { parts } = (content ?? {}) as { parts?: unknown };
  if (parts === undefined || parts === null) return true;
  return Array.isArray(parts) && parts.every((part) => typeof part === 'object' && part !== null);
}

/** Returns the state of the session, without the state of user and app. */
function sessionStateOf(state: StateMap): StateMap {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !/^(app|user|temp):/.test(key)));
}
