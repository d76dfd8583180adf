import { isPlainObject } from '../json/find-non-json.ts';

/** Returns a number of tokens in a server's object. Undefined for other values: some servers report -1 for an unknown number. */
export function tokenCount(source: unknown, name: string): number | undefined {
  const value = isPlainObject(source) ? source[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
