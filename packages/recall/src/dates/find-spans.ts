import { uniqueSpans } from './day-span.ts';
import type { DaySpan } from './day-span.ts';

/** A pattern of a date, and a function that reads its groups. */
export type DatePattern<Context> = readonly [
  RegExp,
  (groups: readonly string[], context: Context) => DaySpan | DaySpan[],
];

/** Returns the days that the patterns find in a text. A text that one pattern has read is not read again. */
export function findSpans<Context>(
  text: string,
  patterns: readonly DatePattern<Context>[],
  context: Context,
): DaySpan[] {
  const found: (DaySpan | DaySpan[])[] = [];
  let rest = text.toLowerCase();
  for (const [pattern, read] of patterns) {
    rest = rest.replace(pattern, (_, ...groups: unknown[]) => {
      found.push(read(groups as string[], context));
      return '|';
    });
  }
  return uniqueSpans(found.flat());
}

/** Returns a regular expression that matches the pattern as whole words, everywhere in a text. */
export function wholeWords(pattern: string): RegExp {
  return new RegExp(`\\b${pattern}\\b`, 'g');
}
