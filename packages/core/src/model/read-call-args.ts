import type { JsonObject } from '../json/json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * Returns a call's arguments from JSON text or an object. Missing arguments are `{}`. Text that is not a JSON object
 * is kept in `brokenArgs`, and `args` is empty.
 */
export function readCallArgs(input: unknown): { args: JsonObject; brokenArgs?: string } {
  if (isPlainObject(input)) return { args: input as JsonObject };
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  if (text.trim() === '') return { args: {} };
  const parsed = parseJson(text);
  return isPlainObject(parsed) ? { args: parsed } : { args: {}, brokenArgs: text };
}
