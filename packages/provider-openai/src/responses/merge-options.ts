import { isPlainObject, setOwn } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** The caller's list is added to ours: replacing it would remove what the request needs. */
const ADDED: readonly string[] = ['tools', 'include'];

/**
 * Returns `options` merged over `body`, plain objects member by member. Null removes a member; the lists `tools` and
 * `include` are joined. Does not change its arguments.
 */
export function mergeOptions(body: JsonObject, options: JsonObject): JsonObject {
  const merged = mergeDeep(body, options);
  for (const list of ADDED) {
    const [ours, theirs] = [body[list], options[list]];
    if (!Array.isArray(ours) || !Array.isArray(theirs)) continue;
    merged[list] = [...ours, ...theirs.filter((each) => typeof each !== 'string' || !ours.includes(each))];
  }
  return merged;
}

function mergeDeep(body: JsonObject, options: JsonObject): JsonObject {
  const merged: JsonObject = { ...body };
  for (const [name, value] of Object.entries(options)) {
    const below = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === null) delete merged[name];
    else setOwn(merged, name, isPlainObject(below) && isPlainObject(value) ? mergeDeep(below, value) : value);
  }
  return merged;
}
