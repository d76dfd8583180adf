import { getOwn } from '@thole/core/kit';

/** The first place at which two values differ. */
export interface ValueDifference {
  /** Path of the place, such as `content.parts[0].text`. Empty for the whole value. */
  path: string;
  expected: unknown;
  actual: unknown;
}

/** Returns the first difference of two JSON values, depth first. Undefined if they are equal. */
export function firstDifference(expected: unknown, actual: unknown, path: string = ''): ValueDifference | undefined {
  if (Object.is(expected, actual)) return undefined;
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return { path, expected, actual };
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const place = Array.isArray(expected) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const found = firstDifference(getOwn(expected, name), getOwn(actual, name), place);
    if (found) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
