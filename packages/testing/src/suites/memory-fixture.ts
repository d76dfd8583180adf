import assert from 'node:assert/strict';
import { createEventActions, textOf, TholeError } from '@thole/core';
import type { Event, MemoryEntry, MemoryService, Part, SearchMemoryRequest, Session } from '@thole/core';

/** The user of most cases. */
export const alice = { appName: 'hotel', userId: 'alice' };
/** Time of the first event of a case, long before the start of the fixed clock. */
export const longAgo = 1_600_000_000;

/** Returns an event with a text. `id` is also its time: minutes after `longAgo`. */
export function textEvent(author: string, id: number, text: string, more: Partial<Event> = {}): Event {
  return eventOf(author, id, [{ text }], more);
}

export function eventOf(author: string, id: number, parts: Part[], more: Partial<Event> = {}): Event {
  return {
    id: `e${id}`,
    invocationId: `i${id}`,
    author,
    timestamp: longAgo + id * 60,
    content: { role: author === 'user' ? 'user' : 'model', parts },
    actions: createEventActions(),
    ...more,
  };
}

/** Returns a session, by default of `alice`. */
export function sessionWith(events: Event[], more: Partial<Session> = {}): Session {
  const lastUpdateTime = events.at(-1)?.timestamp ?? longAgo;
  return {
    ...alice,
    id: 's1',
    state: {},
    events,
    lastUpdateTime,
    lastSeq: events.length,
    incarnation: 'incarnation-1',
    ...more,
  };
}

export async function search(
  memory: MemoryService,
  query: string,
  more: Partial<SearchMemoryRequest> = {},
): Promise<MemoryEntry[]> {
  return (await memory.searchMemory({ ...alice, query, ...more })).memories;
}

/** Returns the texts of the search results, best first. */
export async function searchTexts(
  memory: MemoryService,
  query: string,
  more: Partial<SearchMemoryRequest> = {},
): Promise<string[]> {
  return (await search(memory, query, more)).map((entry) => textOf(entry.content));
}

/**
 * Returns all entries of a user, oldest write first. `kinds` must be given, because a service may list fewer kinds
 * by default.
 */
export async function listEntries(
  memory: MemoryService,
  user: { appName: string; userId: string } = alice,
): Promise<MemoryEntry[]> {
  const filter = { kinds: ['turn', 'fact', 'note'] as const };
  return (await memory.listMemories!({ ...user, limit: 1000, filter })).memories;
}

/** Returns the texts of all entries of a user. */
export async function listTexts(
  memory: MemoryService,
  user: { appName: string; userId: string } = alice,
): Promise<string[]> {
  return (await listEntries(memory, user)).map((entry) => textOf(entry.content));
}

/** Returns a note, fact or turn to add. */
export function entry(text: string, more: Partial<MemoryEntry> = {}): MemoryEntry & { id: string } {
  return { id: text, kind: 'note', content: { parts: [{ text }] }, timestamp: longAgo, ...more };
}

/** Some turns of one session. */
export const talk: Session = sessionWith([
  textEvent('user', 1, 'I love pizza with olives.'),
  textEvent('concierge', 2, 'We have a garden and a pool.'),
  textEvent('user', 3, 'Where is the pool?'),
  textEvent('concierge', 4, 'The pool is on the roof, beside the pool bar.'),
  textEvent('user', 5, 'Was it you who said that there is a sauna?'),
]);

/** Expects that a call rejects with `INVALID_INPUT`. */
export async function expectInvalidInput(call: Promise<unknown>, message?: string): Promise<void> {
  await assert.rejects(call, (error) => TholeError.is(error, 'INVALID_INPUT'), message);
}
