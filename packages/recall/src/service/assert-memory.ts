import { TholeError, ZonedTime } from '@thole/core';
import {
  assertContent,
  assertSharedScope,
  assertCount,
  assertUser,
  failInvalidJson,
  assertSeconds,
  invalidInput,
  isPlainObject,
  JsonCopier,
  optionNames,
} from '@thole/core/kit';
import type { Event, MemoryEntry, MemoryFilter, SearchMemoryRequest } from '@thole/core';

const KINDS: readonly unknown[] = optionNames<Record<MemoryEntry['kind'], true>>({
  turn: true,
  fact: true,
  note: true,
});
/** The members that are stored, in this order. */
const storedMembers = optionNames<Omit<MemoryEntry, 'score' | 'relevance' | 'explanation'>>({
  id: true,
  kind: true,
  content: true,
  author: true,
  timestamp: true,
  sessionId: true,
  eventId: true,
  evidence: true,
  validFrom: true,
  validTo: true,
  supersededBy: true,
  topics: true,
  expiresAt: true,
  scope: true,
  customMetadata: true,
});

/** Returns a deeply frozen copy of an entry's stored members. Throws `INVALID_INPUT` for the first invalid member. */
export function copyEntry(value: unknown, argument: string): MemoryEntry {
  if (!isPlainObject(value)) throw invalidInput(argument, 'an entry {kind, content, …}', value);
  assertText(`${argument}.id`, value['id']);
  assertMembers(value, argument);
  if (value['kind'] === undefined) throw invalidInput(`${argument}.kind`, `'turn', 'fact' or 'note'`, undefined);
  assertContent(value['content'], `${argument}.content`);
  const members = Object.fromEntries(storedMembers.map((name) => [name, value[name]]));
  return new JsonCopier(failInvalidJson).copy(members, argument) as unknown as MemoryEntry;
}

/** Throws `INVALID_INPUT` for the first member of the wrong type. Absent members are valid. */
export function assertMembers(value: { [name: string]: unknown }, argument: string): void {
  const { kind, content, evidence, topics, scope, customMetadata } = value;
  if (kind !== undefined && !KINDS.includes(kind))
    throw invalidInput(`${argument}.kind`, `'turn', 'fact' or 'note'`, kind);
  if (content !== undefined) assertContent(content, `${argument}.content`);
  for (const name of ['author', 'sessionId', 'eventId', 'supersededBy'])
    if (value[name] !== undefined) assertText(`${argument}.${name}`, value[name]);
  for (const name of ['timestamp', 'validFrom', 'validTo', 'expiresAt'])
    if (value[name] !== undefined) assertSeconds(`${argument}.${name}`, value[name]);
  if (evidence !== undefined) assertIds(`${argument}.evidence`, evidence);
  if (topics !== undefined) assertTexts(`${argument}.topics`, 'topics', topics);
  if (scope !== undefined) assertSharedScope(scope, `${argument}.scope`);
  if (customMetadata !== undefined && !isPlainObject(customMetadata))
    throw invalidInput(`${argument}.customMetadata`, 'an object', customMetadata);
}

/** Throws `INVALID_INPUT` unless the value is an array of ids. */
export function assertIds(argument: string, value: unknown): asserts value is readonly string[] {
  assertTexts(argument, 'ids', value);
}

function assertTexts(argument: string, items: string, value: unknown): void {
  if (!Array.isArray(value)) throw invalidInput(argument, `an array of ${items}`, value);
  value.forEach((text: unknown, i) => assertText(`${argument}[${i}]`, text));
}

/** Throws `INVALID_INPUT` unless the value is an array of events. */
export function assertEvents(value: unknown): asserts value is readonly Event[] {
  if (!Array.isArray(value)) throw invalidInput('events', 'an array of events', value);
  value.forEach((event: unknown, i) => {
    if (!isPlainObject(event)) throw invalidInput(`events[${i}]`, 'an event', event);
    assertText(`events[${i}].id`, event['id']);
    assertText(`events[${i}].author`, event['author']);
    assertSeconds(`events[${i}].timestamp`, event['timestamp']);
    const parts = isPlainObject(event['content']) ? event['content']['parts'] : undefined;
    if (parts !== undefined && !(Array.isArray(parts) && parts.every(isPlainObject)))
      throw invalidInput(`events[${i}].content.parts`, 'an array of parts', parts);
  });
}

/** Throws `INVALID_INPUT` for the first invalid condition of a filter. */
export function assertFilter(value: MemoryFilter | undefined): void {
  if (value === undefined) return;
  if (!isPlainObject(value)) throw invalidInput('filter', 'an object', value);
  const { kinds, from, to, validAt, author, sessionId, topics, metadata } = value;
  if (kinds !== undefined && !(Array.isArray(kinds) && kinds.every((kind) => KINDS.includes(kind)))) {
    throw invalidInput('filter.kinds', `an array of 'turn', 'fact' and 'note'`, kinds);
  }
  for (const [name, time] of Object.entries({ from, to, validAt }))
    if (time !== undefined) assertSeconds(`filter.${name}`, time);
  for (const [name, text] of Object.entries({ author, sessionId }))
    if (text !== undefined) assertText(`filter.${name}`, text);
  if (topics !== undefined) assertTexts('filter.topics', 'topics', topics);
  if (metadata !== undefined && !isPlainObject(metadata)) throw invalidInput('filter.metadata', 'an object', metadata);
}

/** Throws `INVALID_INPUT` unless the value is a boolean. Absent options are valid. */
export function assertBoolean(argument: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') throw invalidInput(argument, 'a boolean', value);
}

/** Throws `INVALID_INPUT` for the first invalid member of a search request. */
export function assertSearch(p: SearchMemoryRequest): void {
  assertUser(p);
  if (typeof p.query !== 'string') throw invalidInput('query', 'a string', p.query);
  if (p.limit !== undefined) assertCount('limit', p.limit);
  if (p.minScore !== undefined) assertScore(p.minScore);
  if (p.minRelevance !== undefined) assertRelevance(p.minRelevance);
  if (p.timeZone !== undefined) void new ZonedTime(p.timeZone);
  assertBoolean('explain', p.explain);
  assertFilter(p.filter);
}

/** Throws `INVALID_INPUT` unless a minimum score is a finite number. */
export function assertScore(value: unknown): void {
  if (!Number.isFinite(value)) throw invalidInput('minScore', 'a finite number', value);
}

/** Throws `INVALID_INPUT` unless a minimum relevance is a number from 0 to 1. */
export function assertRelevance(value: unknown): void {
  if (!(typeof value === 'number' && value >= 0 && value <= 1))
    throw invalidInput('minRelevance', 'a number from 0 to 1', value);
}

/** Throws `INVALID_INPUT` unless the value is a string that is not empty. */
export function assertText(argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
}
