import type { Event } from '@thole/core';
import { incremental } from '../inspector/incremental.ts';

/** One invocation of a session in which something was said; a change of state alone is none. */
export interface Turn {
  invocationId: string;
  /** What the user said, in few words. */
  title: string;
  events: Event[];
  isSaid: boolean;
}

/** The turns of a session, in the order in which they began; events that follow are added to what was read. */
export function turnsOf(): (events: readonly Event[]) => { readonly of: TurnList } {
  return incremental<Event, TurnList>(() => ({ turns: [], byId: new Map() }), addEvent);
}

/** The turns, and every invocation by its id, also one in which nothing was said yet. */
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
