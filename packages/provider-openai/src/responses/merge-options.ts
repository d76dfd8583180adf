import { isPlainObject, setOwn } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** Lists that are joined. Replacing them would remove entries that the request needs. */
const JOINED_LISTS: readonly string[] = ['tools', 'include'];

/**
 * Returns `options` merged over `body`, plain objects member by member. Null removes a member; the lists `tools` and
 * `include` are joined. Does not change its arguments.
 */
export function mergeOptions(body: JsonObject, options: JsonObject): JsonObject {
  const merged = mergeDeep(body, options);
  for (const list of JOINED_LISTS) {
    const [bodyList, optionList] = [body[list], options[list]];
    if (!Array.isArray(bodyList) || !Array.isArray(optionList)) continue;
    merged[list] = [...bodyList, ...optionList.filter((each) => typeof each !== 'string' || !bodyList.includes(each))];
  }
  return merged;
}

function mergeDeep(body: JsonObject, options: JsonObject): JsonObject {
  const merged: JsonObject = { ...body };
  for (const [name, value] of Object.entries(options)) {
    const current = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === null) delete merged[name];
    else setOwn(merged, name, isPlainObject(current) && isPlainObject(value) ? mergeDeep(current, value) : value);
  }
  return merged;
}
