import type { Json, JsonObject } from '@thole/core';

/** Returns attributes with parsed JSON texts (requests, arguments, answers), so that they can be opened. */
export function parseJsonTexts(attributes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, parseJsonText(value)]));
}

function parseJsonText(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
