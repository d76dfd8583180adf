import type { JsonObject } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';

/**
 * Returns a call's arguments from JSON text or an object. Missing arguments are `{}`. Text that is not a JSON object
 * is kept in `brokenArgs`, and `args` is empty.
 */
export function readArgs(raw: unknown): { args: JsonObject; brokenArgs?: string } {
  if (raw === undefined || raw === null) return { args: {} };
  if (typeof raw !== 'string')
    return isPlainObject(raw) ? { args: raw as JsonObject } : toBrokenArgs(JSON.stringify(raw));
  if (raw.trim() === '') return { args: {} };
  try {
    const parsed: unknown = JSON.parse(raw);
    return isPlainObject(parsed) ? { args: parsed as JsonObject } : toBrokenArgs(raw);
  } catch {
    return toBrokenArgs(raw);
  }
}

const toBrokenArgs = (raw: string): { args: JsonObject; brokenArgs: string } => ({ args: {}, brokenArgs: raw });
