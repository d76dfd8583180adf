import type { Event, Json, StateMap } from '@thole/core';
import { createIncrementalFold } from '../create-incremental-fold.ts';

/** One change of a key. */
export interface StateChange {
  eventId: string;
  author: string;
  /** Seconds since the epoch. */
  timestamp: number;
  /** Null if the key was deleted. */
  value: Json;
  /** The value before the change. Undefined if no earlier event has it. */
  before: Json | undefined;
}

/** The history of the state in the events. */
export interface StateHistory {
  /** The changes of each key, oldest first. */
  changes: Map<string, StateChange[]>;
  /** The `temp:` keys of the newest invocation, which are not stored with the session. */
  temporary: StateMap;
  invocationId: string | undefined;
}

/** Returns a function that reads the history of each key from the events' deltas and adds later events. */
export function stateHistory(): (events: readonly Event[]) => { readonly result: StateHistory } {
  return createIncrementalFold<Event, StateHistory>(
    () => ({ changes: new Map(), temporary: {}, invocationId: undefined }),
    addEvent,
  );
}

function addEvent(history: StateHistory, { id, author, timestamp, invocationId, actions, partial }: Event): void {
  if (partial) return;
  if (invocationId !== history.invocationId) {
    history.invocationId = invocationId;
    history.temporary = {};
  }
  for (const [key, value] of Object.entries(actions?.stateDelta ?? {})) {
    const changes = history.changes.get(key) ?? [];
    history.changes.set(key, changes);
    changes.push({ eventId: id, author, timestamp, value, before: changes.at(-1)?.value });
    if (!key.startsWith('temp:')) continue;
    if (value === null) delete history.temporary[key];
    else history.temporary[key] = value;
  }
}
