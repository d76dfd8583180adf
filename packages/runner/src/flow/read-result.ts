import { assertResponseParts, isPlainObject, JsonCopier, resolveToJson } from '@thole/core/kit';
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
  const json = copyJson(result, () => undefined) ?? copyJson(resolveToJson(result), failWithPath);
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
