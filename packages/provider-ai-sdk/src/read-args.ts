import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/**
 * Returns a call's arguments from JSON text. Empty text is `{}`. Text that is not a JSON object is kept in
 * `brokenArgs`, and `args` is empty.
 */
export function readArgs(input: unknown): { args: JsonObject; brokenArgs?: string } {
  if (isPlainObject(input)) return { args: input as JsonObject };
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  if (text.trim() === '') return { args: {} };
  try {
    const parsed: unknown = JSON.parse(text);
    if (isPlainObject(parsed)) return { args: parsed as JsonObject };
  } catch {
    // The text is returned as `brokenArgs`.
  }
  return { args: {}, brokenArgs: text };
}
