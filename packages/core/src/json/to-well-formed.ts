import { isPlainObject } from './find-non-json.ts';

/**
 * Returns the value with U+FFFD instead of each lone surrogate in its texts and names. A program that cuts a text within a
 * character creates one, and servers reject every request that contains it. A value without lone surrogates is returned itself.
 * Values other than texts, arrays and plain objects are not changed.
 */
export function toWellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (copyWellFormed(value) as T);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return (
    !isPlainObject(value) ||
    Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member))
  );
}

function copyWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(copyWellFormed);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), copyWellFormed(member)]),
  );
}
