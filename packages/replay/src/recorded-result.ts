import { findNonJson, isPlainObject, MAX_JSON_DEPTH, setOwn } from '@thole/core/kit';
import type { Json } from '@thole/core';
import type { RecordedToolCall } from './recording.ts';
import { toJson } from './to-json.ts';

/**
 * Returns the result of a tool as JSON. If the runner cannot store the result, returns the error that the runner shows
 * to the model, because the recording cannot contain the result either.
 */
export function toRecordedResult(tool: string, result: unknown): Pick<RecordedToolCall, 'result' | 'error'> {
  if (result === undefined) return {};
  const resolved = resolveToJson(result, 0);
  const found = findNonJson(resolved, 'result');
  if (!found) return { result: toJson(resolved) as Json };
  const message = `${tool} ran, but its result could not be stored: ${found.path} ${found.problem}.`;
  return { error: { name: 'Error', message } };
}

/** Calls `toJSON` as the runner does. Circular references stay circular. */
function resolveToJson(value: unknown, depth: number, copies: Map<object, unknown> = new Map()): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_JSON_DEPTH) return value;
  if (copies.has(value)) return copies.get(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return resolveToJson(toJSON.call(value), depth + 1, copies);
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  const copy: unknown[] | { [key: string]: unknown } = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const [key, member] of Object.entries(value)) {
    const resolved = resolveToJson(member, depth + 1, copies);
    if (Array.isArray(copy)) copy.push(resolved);
    else setOwn(copy, key, resolved);
  }
  return copy;
}
