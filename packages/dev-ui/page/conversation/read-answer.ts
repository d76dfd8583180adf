import type { Json, JsonObject } from '@thole/core';

/** Returns the text of a tool's answer as JSON: an object unchanged, any other JSON or text as `result`. */
export function readAnswer(text: string): JsonObject {
  const trimmed = text.trim();
  try {
    const value = JSON.parse(trimmed) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    return { result: value };
  } catch {
    return { result: trimmed };
  }
}
