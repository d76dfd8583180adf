import { actionMapNames, createActionMaps, isPlainObject, setOwn } from '@thole/core/kit';
import type { Event, Json, JsonObject } from '@thole/core';
import { textOfSummary, translateCompactions } from './translate-compactions.ts';
import type { AdkCompaction } from './translate-compactions.ts';

/** Fields whose members have names of the user, not of ADK. These names are not changed. */
const USER_NAMED_FIELDS = new Set([
  ...actionMapNames.map((name) => `actions.${name}`),
  'actions.agentState',
  'actions.customMetadata',
  'customMetadata',
  'output',
  'route',
  'content.parts.functionCall.args',
  'content.parts.functionResponse.response',
]);

/** Smallest time that counts as milliseconds (ADK for TypeScript). Seconds (ADK for Python) reach it in the year 5138. */
const MIN_MILLISECONDS = 1e11;

/** A row of ADK's table of events. */
export interface AdkEventRow {
  readonly id: string;
  readonly invocationId: string;
  /** Seconds. Used if the event itself has no time. */
  readonly time: number;
  readonly data: JsonObject;
}

/**
 * Converts the events of a session: ADK's names to camelCase, times to seconds, all four action maps, no `temp:` keys. The
 * events are numbered from 1. ADK's compactions become records of the runtime.
 */
export function fromAdkEvents(rows: readonly AdkEventRow[]): Event[] {
  const compactions = new Map<string, AdkCompaction>();
  const events = rows.map((row, i) => {
    const { event, compaction } = fromAdkEvent(row);
    if (compaction) compactions.set(event.id, compaction);
    return { ...event, seq: i + 1 };
  });
  return translateCompactions(events, compactions);
}

function fromAdkEvent(row: AdkEventRow): { event: Event; compaction: AdkCompaction | undefined } {
  const all = renameKeys(row.data, '') as JsonObject;
  const { isCompacted, isScratchpad: _, startTime: __, endTime, compactedContent, ...data } = all;
  const { compaction, ...actions } = isPlainObject(data['actions']) ? (data['actions'] as JsonObject) : {};
  const { timestamp, author } = data;
  const event = {
    ...data,
    id: row.id,
    invocationId: row.invocationId === '' ? row.id : row.invocationId,
    author: typeof author === 'string' && author !== '' ? author : 'system',
    timestamp: typeof timestamp === 'number' ? toSeconds(timestamp) : row.time,
    actions: {
      ...actions,
      ...createActionMaps((name) => toObject(actions[name])),
      stateDelta: dropTempKeys(actions['stateDelta']),
    },
  } as unknown as Event;
  if (isCompacted === true) {
    return { event, compaction: toAdkCompaction(-Infinity, endTime, compactedContent) };
  }
  if (!isPlainObject(compaction)) return { event, compaction: undefined };
  const { startTimestamp, endTimestamp, compactedContent: content } = compaction as JsonObject;
  return { event, compaction: toAdkCompaction(startTimestamp, endTimestamp, content) };
}

/** Returns undefined for a summary without times or text. Its events then stay in the prompt. */
function toAdkCompaction(
  start: Json | undefined,
  end: Json | undefined,
  content: Json | undefined,
): AdkCompaction | undefined {
  const text = textOfSummary(content);
  if (typeof start !== 'number' || typeof end !== 'number' || text === '') return undefined;
  return { start: toSeconds(start), end: toSeconds(end), text };
}

/** Converts a time of ADK's tables to seconds: a number, a text without a zone (UTC), or a date. */
export function toSeconds(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value) >= MIN_MILLISECONDS ? value / 1000 : value;
  if (typeof value === 'string') {
    const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value);
    const parsed = Date.parse(isZoned ? value : `${value.replace(' ', 'T')}Z`);
    return Number.isNaN(parsed) ? Number(value) || 0 : parsed / 1000;
  }
  return Number(value) / 1000 || 0;
}

function renameKeys(value: Json, path: string): Json {
  if (Array.isArray(value)) return value.map((member) => renameKeys(member, path));
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const name = key.replaceAll(/_([a-z])/g, (__, letter: string) => letter.toUpperCase());
    const memberPath = path === '' ? name : `${path}.${name}`;
    // ADK writes null for absent members.
    if (member === null && !USER_NAMED_FIELDS.has(path)) continue;
    setOwn(result, name, USER_NAMED_FIELDS.has(memberPath) ? member : renameKeys(member, memberPath));
  }
  return result;
}

function toObject(value: Json | undefined): JsonObject {
  return isPlainObject(value) ? (value as JsonObject) : {};
}

function dropTempKeys(value: Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries(toObject(value)).filter(([key]) => !key.startsWith('temp:')));
}
