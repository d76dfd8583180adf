import { TholeError } from '@thole/core';
import { setOwn } from '@thole/core/kit';

/** What these hold goes through as it came: names and nulls in there are not ours. */
export const untouched: ReadonlySet<string> = new Set([
  ...['state', 'stateDelta', 'args', 'response', 'customMetadata', 'artifactDelta'],
  ...['requestedAuthConfigs', 'requestedToolConfirmations', 'agentState', 'partMetadata'],
]);
const MAX_DEPTH = 100;

/** Envelopes come in camelCase or snake_case: makes the keys of parsed JSON camelCase, in place, and leaves those of maps untouched. */
export function camelKeys(value: unknown, depth: number = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new TholeError('INVALID_INPUT', `The body is nested deeper than ${MAX_DEPTH}.`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) camelKeys(value[i], depth + 1);
    return value;
  }
  const object = value as { [key: string]: unknown };
  for (const key in object) {
    const each = object[key];
    const name = key.includes('_') ? camel(key) : key;
    if (name !== key) {
      delete object[key];
      setOwn(object, name, each);
    }
    if (!untouched.has(name)) camelKeys(each, depth + 1);
  }
  return value;
}

function camel(key: string): string {
  return /^[a-z]+(_[a-z0-9]+)+$/.test(key)
    ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;
}
