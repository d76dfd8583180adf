import { isPlainObject, JsonCopier, MAX_JSON_DEPTH } from '@thole/core';
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

function resolveToJson(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_JSON_DEPTH) return value;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return resolveToJson((toJSON as () => unknown).call(value), depth + 1);
  if (Array.isArray(value)) return value.map((member) => resolveToJson(member, depth + 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolveToJson(member, depth + 1)]));
}
