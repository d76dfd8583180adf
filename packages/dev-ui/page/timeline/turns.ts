import type { Event } from '@thole/core';
import { incremental } from '../inspector/incremental.ts';

/** One invocation of a session with a message; a change of state alone is not a turn. */
export interface Turn {
  invocationId: string;
  /** The start of the user's message. */
  title: string;
  events: Event[];
  isSaid: boolean;
}

/** Returns a function that returns the turns of a session in order and adds later events. */
export function turnsOf(): (events: readonly Event[]) => { readonly of: TurnList } {
  return incremental<Event, TurnList>(() => ({ turns: [], byId: new Map() }), addEvent);
}

/** The turns, and every invocation by id, also without a message yet. */
export interface TurnList {
  turns: Turn[];
  byId: Map<string, Turn>;
}

function addEvent(list: TurnList, event: Event): void {
  const { invocationId } = event;
  if (!invocationId) return;
  let turn = list.byId.get(invocationId);
  if (!turn) {
    turn = { invocationId, title: '', events: [], isSaid: false };
    list.byId.set(invocationId, turn);
  }
  if (!turn.isSaid && (event.content ?? event.errorCode) !== undefined) {
    turn.isSaid = true;
    list.turns.push(turn);
  }
  turn.events.push(event);
  if (turn.title === '' && event.author === 'user') turn.title = wordsOf(event);
}

const wordsOf = ({ content }: Event): string =>
  (content?.parts ?? [])
    .map(({ text }) => text ?? '')
    .join(' ')
    .trim()
    .slice(0, 80);
