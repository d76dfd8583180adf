import { setOwn, TholeError } from '@thole/core';

/** What these hold goes through as it came: names and nulls in there are not ours. */
export const untouched: ReadonlySet<string> = new Set([
  ...['state', 'stateDelta', 'args', 'response', 'customMetadata', 'artifactDelta'],
  ...['requestedAuthConfigs', 'requestedToolConfirmations', 'agentState', 'partMetadata'],
]);
const MAX_DEPTH = 100;

/** Envelopes come in camelCase or snake_case: the keys in camelCase, those of maps untouched. */
export function camelKeys(value: unknown, depth: number = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new TholeError('INVALID_INPUT', `The body is nested deeper than ${MAX_DEPTH}.`);
  if (Array.isArray(value)) return value.map((each) => camelKeys(each, depth + 1));
  const made: { [key: string]: unknown } = {};
  for (const [key, each] of Object.entries(value)) {
    const name = camel(key);
    setOwn(made, name, untouched.has(name) ? each : camelKeys(each, depth + 1));
  }
  return made;
}

function camel(key: string): string {
  return /^[a-z]+(_[a-z0-9]+)+$/.test(key)
    ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key;
}
