import { isPlainObject, JsonCopier, MAX_JSON_DEPTH, setOwn } from '@thole/core';
import type { Json, JsonObject, JsonProblem } from '@thole/core';

/**
 * A tool's result as the object that answers its call, deeply frozen: an object as it is, anything else under `result`,
 * undefined as `{result: null}`; `toJSON` is honoured. What is not JSON throws a `TypeError` naming the path.
 */
export function normalizeResult(result: unknown): JsonObject {
  if (result === undefined) return { result: null };
  // Most results are JSON as they are; the others are asked for their `toJSON` first.
  const json = copyJson(result, () => undefined) ?? copyJson(resolveToJson(result, 0), failWithPath);
  return isPlainObject(json) ? (json as JsonObject) : { result: json ?? null };
}

function copyJson(value: unknown, fail: (problem: JsonProblem) => undefined): Json | undefined {
  return new JsonCopier(fail as (problem: JsonProblem) => never).copy(value, 'result');
}

function failWithPath({ path, problem }: JsonProblem): never {
  throw new TypeError(`What the tool gave cannot be sent as JSON: ${path} ${problem}.`);
}

// What refers back to itself does so in the copy too, so that the error names where.
function resolveToJson(value: unknown, depth: number, copies: Map<object, unknown> = new Map()): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_JSON_DEPTH) return value;
  if (copies.has(value)) return copies.get(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return resolveToJson((toJSON as () => unknown).call(value), depth + 1, copies);
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (const member of value) copy.push(resolveToJson(member, depth + 1, copies));
    return copy;
  }
  if (!isPlainObject(value)) return value;
  const copy: { [key: string]: unknown } = {};
  copies.set(value, copy);
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, resolveToJson(member, depth + 1, copies));
  return copy;
}
