import { createEventActions, textOf } from '@thole/core';
import type { Event, MemoryEntry, MemoryFilter, SessionRef } from '@thole/core';
import { turnsOf } from '@thole/recall/kit';

/** The text of a turn that is kept without its text. It has no word that a search could find. */
const PLACEHOLDER = '…';

/** Turns to keep without their texts. */
export interface Placeholders {
  /** Events with a placeholder in place of what was said, for ingestion. */
  events: Event[];
  /** The texts that were said, by the ids of the turns. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Returns events without their texts, and the texts separately. A turn's placeholder remembers that facts were made of the turn
 * and what the facts rest on, so that forgetting and repeated ingestion work as for whole turns.
 */
export function placeholdersOf(sessionId: string, events: readonly Event[]): Placeholders {
  const turns = turnsOf(sessionId, events);
  return {
    events: turns.map(toPlaceholder),
    texts: new Map(turns.map(({ id, content }) => [id, textOf(content)])),
  };
}

/** Returns the filter without turns; undefined if it asks for turns only. */
export function withoutTurns(filter: MemoryFilter = {}): MemoryFilter | undefined {
  const { kinds = ['fact', 'note'] } = filter;
  if (!Array.isArray(kinds)) return filter;
  const others = kinds.filter((kind) => kind !== 'turn');
  return others.length === 0 && kinds.length > 0 ? undefined : { ...filter, kinds: others };
}

/** True if the arguments can be read: others are the wrapped service's to reject. */
export function hasEvents(p: Partial<SessionRef> & { events?: readonly Event[] }): boolean {
  const isEvent = (event: Event | null): boolean => typeof event === 'object' && event !== null;
  return typeof p.sessionId === 'string' && Array.isArray(p.events) && p.events.every(isEvent);
}

function toPlaceholder({ eventId, author, timestamp, content }: MemoryEntry): Event {
  return {
    id: eventId!,
    invocationId: '',
    author: author!,
    timestamp: timestamp!,
    content: { ...content, parts: [{ text: PLACEHOLDER }] },
    actions: createEventActions(),
  };
}
