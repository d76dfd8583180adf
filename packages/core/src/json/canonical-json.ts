import { isPlainObject } from './find-non-json.ts';
import type { Json } from './json.ts';

/** Returns the JSON text of a value with sorted names, for comparisons: databases may store members in another order. */
export function canonicalJson(value: Json | undefined): string {
  return JSON.stringify(value ?? null, (_, each: Json) =>
    isPlainObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
