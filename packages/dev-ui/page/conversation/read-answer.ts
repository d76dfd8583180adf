import type { Json, JsonObject } from '@thole/core';

/** What was typed as a tool's answer: a JSON object as it is, any other JSON or a text under `result`. */
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
