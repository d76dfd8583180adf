import type { Json } from '@thole/core';

/** The problem with a text for which `readJson` returns `isExact: false`. */
export const inexactJson =
  'Some digits of a number would be lost. Enter at most 15 digits, or write the number as a text in quotes.';

/**
 * Returns the value of a JSON text. `isExact` is false if the value has another integer than the text, because JavaScript's
 * numbers have about 16 digits, or if a number is too large. Throws a `SyntaxError` if the text is not JSON.
 */
export function readJson(text: string): { value: Json; isExact: boolean } {
  let isExact = true;
  const value = JSON.parse(text) as Json;
  // A separate call, because a reviver that returns members may lose some, such as `__proto__`.
  JSON.parse(text, (_, member: Json, context?: { source?: string | undefined }) => {
    if (typeof member === 'number' && !isExactNumber(member, context?.source)) isExact = false;
    return member;
  });
  return { value, isExact };
}

/** True if a number has the digits of its text. Older browsers do not know the text. */
export function isExactNumber(value: number, source: string | undefined): boolean {
  if (!Number.isInteger(value)) return Number.isFinite(value);
  if (Number.isSafeInteger(value)) return true;
  return source !== undefined && (source === String(value) || /[.e]/i.test(source));
}
