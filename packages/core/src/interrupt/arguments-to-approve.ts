import type { JsonObject } from '../json/json.ts';

/** Length from which strings are shortened if the arguments are too long. */
const LONG_STRING = 200;
/** Number of characters that are shown at both ends of a shortened string. */
const SHOWN_END = 80;

/**
 * Returns the arguments of a call as JSON for the person who approves it. Characters that are invisible or change the direction of
 * text are escaped, because they could show other arguments. If the JSON is longer than `maxLength`, long strings are shortened, so
 * that a long argument does not hide the arguments after it. The text contains the number of characters that are not shown.
 */
export function argumentsToApprove(args: JsonObject, maxLength: number): string {
  const complete = escapeHidden(JSON.stringify(args));
  if (complete.length <= maxLength) return complete;
  const text = escapeHidden(JSON.stringify(args, (_, value: unknown) => shorten(value)));
  const hidden = text.length - maxLength;
  return hidden <= 0 ? text : `${text.slice(0, maxLength).toWellFormed()}… (${hidden} more characters are not shown)`;
}

/** Returns the text with escapes for characters that are invisible or change the direction of text, except those of emoji. */
export function escapeHidden(text: string): string {
  return text.replace(/(?!\u200c|\u200d|\ufe0f)[\u007f-\u009f\u2028\u2029\p{DI}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONG_STRING) return value;
  const hidden = value.length - 2 * SHOWN_END;
  return `${value.slice(0, SHOWN_END)}… ${hidden} characters are not shown …${value.slice(-SHOWN_END)}`;
}
