import { TholeError } from '@thole/core';
import { actionMapNames, setOwn } from '@thole/core/kit';

/** Fields whose values belong to clients and agents. Names and nulls inside these values are not changed. */
export const opaqueFields: ReadonlySet<string> = new Set([
  ...['state', 'args', 'response', 'customMetadata', 'agentState', 'partMetadata'],
  ...actionMapNames,
]);
const MAX_DEPTH = 100;

/**
 * Changes the keys of parsed JSON from snake_case to camelCase, in place, and returns the value. Values of
 * `opaqueFields` stay unchanged. Throws `INVALID_INPUT` if the JSON is nested too deeply.
 */
export function camelCaseKeys(value: unknown, depth: number = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH)
    throw new TholeError('INVALID_INPUT', `The body must not be nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) camelCaseKeys(value[i], depth + 1);
    return value;
  }
  const object = value as { [key: string]: unknown };
  for (const key in object) {
    const each = object[key];
    const name = key.includes('_') ? toCamelCase(key) : key;
    if (name !== key) {
      delete object[key];
      setOwn(object, name, each);
    }
    if (!opaqueFields.has(name)) camelCaseKeys(each, depth + 1);
  }
  return value;
}

function toCamelCase(key: string): string {
  return /^[a-z]+(_[a-z0-9]+)+$/.test(key)
    ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;
}
