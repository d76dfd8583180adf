import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Event, Json, JsonObject } from '@thole/core';

/** What was named by its owner and not by ADK: below these nothing is renamed. */
const USER_NAMED_FIELDS = new Set([
  'actions.stateDelta',
  'actions.artifactDelta',
  'actions.requestedAuthConfigs',
  'actions.requestedToolConfirmations',
  'actions.agentState',
  'actions.customMetadata',
  'customMetadata',
  'output',
  'route',
  'content.parts.functionCall.args',
  'content.parts.functionResponse.response',
]);

/** ADK for TypeScript writes milliseconds, ADK for Python seconds, which reach this in the year 5138. */
const MIN_MILLISECONDS = 1e11;

/** Which event a row is of. */
export interface AdkEventRow {
  readonly id: string;
  readonly invocationId: string;
  /** Seconds; for events that hold no time of their own. */
  readonly time: number;
  readonly data: JsonObject;
}

/**
 * An event of ADK's table in our shape: names in camelCase but for what its owner named, seconds, all four action maps, without
 * `temp:`. A compaction is left out, since it speaks of times where ours speaks of numbers; the events it covered are there.
 */
export function fromAdkEvent(row: AdkEventRow): Event {
  const data = renameKeys(row.data, '') as JsonObject;
  const { compaction: _, ...actions } = isPlainObject(data['actions']) ? (data['actions'] as JsonObject) : {};
  const { timestamp, author } = data;
  return {
    ...data,
    id: row.id,
    invocationId: row.invocationId === '' ? row.id : row.invocationId,
    author: typeof author === 'string' && author !== '' ? author : 'system',
    timestamp: typeof timestamp === 'number' ? toSeconds(timestamp) : row.time,
    actions: {
      ...actions,
      stateDelta: dropTempKeys(actions['stateDelta']),
      artifactDelta: toObject(actions['artifactDelta']),
      requestedAuthConfigs: toObject(actions['requestedAuthConfigs']),
      requestedToolConfirmations: toObject(actions['requestedToolConfirmations']),
    },
  } as unknown as Event;
}

/** An instant as ADK's tables have it: a number, a text without a zone (UTC), or a date. */
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
    // ADK writes null where there is nothing.
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
