import type { Event } from '@thole/core';
import { createIncrementalFold } from '../inspector/create-incremental-fold.ts';

/** One invocation of a session. It is a turn when it has a message; a change of state alone is not a turn. */
export interface Turn {
  invocationId: string;
  /** The start of the user's message. */
  title: string;
  events: Event[];
  /** True if an event has content or an error. */
  hasMessage: boolean;
}

/** Returns a function that reads the turns of a session in order. Later calls read only new events. */
export function turnsOf(): (events: readonly Event[]) => { readonly result: TurnList } {
  return createIncrementalFold<Event, TurnList>(() => ({ turns: [], byId: new Map() }), addEvent);
}

/** The turns, and all invocations by id, also those without a message. */
export interface TurnList {
  turns: Turn[];
  byId: Map<string, Turn>;
}

function addEvent(list: TurnList, event: Event): void {
  const { invocationId } = event;
  if (!invocationId) return;
  let turn = list.byId.get(invocationId);
  if (!turn) {
    turn = { invocationId, title: '', events: [], hasMessage: false };
    list.byId.set(invocationId, turn);
  }
  if (!turn.hasMessage && (event.content ?? event.errorCode) !== undefined) {
    turn.hasMessage = true;
    list.turns.push(turn);
  }
  turn.events.push(event);
  if (turn.title === '' && event.author === 'user') turn.title = titleOf(event);
}

const titleOf = ({ content }: Event): string =>
  (content?.parts ?? [])
    .map(({ text }) => text ?? '')
    .join(' ')
    .trim()
    .slice(0, 80);
