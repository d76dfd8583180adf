import { assertResponseParts, isPlainObject, JsonCopier, MAX_JSON_DEPTH, setOwn } from '@thole/core/kit';
import type { FunctionResponsePart, Json, JsonObject } from '@thole/core';
import type { JsonProblem } from '@thole/core/kit';

/**
 * Returns a tool's result as the object that answers its call, deeply frozen: an object unchanged, any other value
 * as `result`, undefined as `{result: null}`. Calls `toJSON`. Throws an error with the path of a value that is not
 * JSON, and of an invalid member in the `parts` of `{response, parts}`.
 */
export function readResult(result: unknown): JsonObject {
  if (result === undefined) return { result: null };
  // Most results are JSON already. Only other results are searched for `toJSON`.
  const json = copyJson(result, () => undefined) ?? copyJson(resolveToJson(result, 0), failWithPath);
  const object = isPlainObject(json) ? (json as JsonObject) : { result: json ?? null };
  if (hasParts(object)) assertResponseParts(object['parts'], 'parts');
  return object;
}

/** Splits a result of exactly `{response, parts}`, where `parts` is a list of `{inlineData}` and `{fileData}`. */
export function splitResult(result: JsonObject): { response: JsonObject; parts?: FunctionResponsePart[] } {
  if (!hasParts(result)) return { response: result };
  return { response: result['response'] as JsonObject, parts: result['parts'] as unknown as FunctionResponsePart[] };
}

function hasParts(result: JsonObject): boolean {
  const { response, parts } = result;
  if (Object.keys(result).length !== 2 || !isPlainObject(response) || !Array.isArray(parts)) return false;
  return parts.length > 0 && parts.every((part) => isPlainObject(part) && isFile(part));
}

function isFile(part: { [key: string]: unknown }): boolean {
  const [kind, ...others] = Object.keys(part);
  return others.length === 0 && (kind === 'inlineData' || kind === 'fileData');
}

function copyJson(value: unknown, fail: (problem: JsonProblem) => undefined): Json | undefined {
  return new JsonCopier(fail as (problem: JsonProblem) => never).copy(value, 'result');
}

function failWithPath({ path, problem }: JsonProblem): never {
  throw new TypeError(`${path} ${problem}.`);
}

// Circular references stay circular in the copy, so that the error names their place.
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
