import { createEventActions, textOf } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Event, MemoryEntry, MemoryFilter, NewMemory, SessionRef } from '@thole/core';
import { turnsOf } from '@thole/recall/kit';

/** The text that replaces a turn's text. Searches cannot find it. */
const PLACEHOLDER = '…';

/** The result of `createPlaceholders`. */
export interface Placeholders {
  /** Events with placeholders instead of texts, for ingestion. */
  events: Event[];
  /** The texts, by turn id. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Returns events without their texts, and the texts separately. The placeholder of a turn is the evidence of its facts and records that
 * they were extracted. So deletion and repeated ingestion work as for complete turns.
 */
export function createPlaceholders(sessionId: string, events: readonly Event[]): Placeholders {
  const turns = turnsOf(sessionId, events);
  return {
    events: turns.map(toPlaceholder),
    texts: new Map(turns.map(({ id, content }) => [id, textOf(content)])),
  };
}

/** Returns a turn with a placeholder instead of its text, and any other entry unchanged. */
export function hideTurnText(entry: NewMemory): NewMemory {
  if (entry?.kind !== 'turn' || !isPlainObject(entry.content)) return entry;
  return { ...entry, content: { ...entry.content, parts: [{ text: PLACEHOLDER }] } };
}

/** Returns the filter without turns. Undefined if the filter contains only turns. */
export function excludeTurns(filter: MemoryFilter = {}): MemoryFilter | undefined {
  const { kinds = ['fact', 'note'] } = filter;
  if (!Array.isArray(kinds)) return filter;
  const others = kinds.filter((kind) => kind !== 'turn');
  return others.length === 0 && kinds.length > 0 ? undefined : { ...filter, kinds: others };
}

/** True if the arguments have a session id and events. The wrapped service rejects other arguments. */
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
