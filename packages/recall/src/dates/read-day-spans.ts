import { monthAt } from './day-span.ts';
import type { DaySpan } from './day-span.ts';
import { readDates } from './read-dates.ts';
import { readRelativeDates } from './read-relative-dates.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
// Every date expression contains one of these words, so most texts need not be searched.
const RELATIVE =
  setOf(`yesterday today tonight tomorrow night morning afternoon evening day days week weeks weekend month months year
  years sunday monday tuesday wednesday thursday friday saturday spring summer fall autumn winter`);
const MONTH =
  setOf(`january february march april may june july august september october november december jan feb mar apr jun jul aug
  sep sept oct nov dec`);
const YEAR = /^(?:19|20)\d\d$/;

/** Returns whether a text with these tokens may contain relative times or dates. */
export function detectTimeWords(tokens: readonly string[]): { relative: boolean; date: boolean } {
  const found = { relative: false, date: false };
  for (const token of tokens) {
    if (RELATIVE.has(token)) found.relative = true;
    // "Last March" is relative, "March 3" is not.
    else if (MONTH.has(token)) found.relative = found.date = true;
    else if (token.length === 4 && YEAR.test(token)) found.date = true;
  }
  return found;
}

/**
 * Returns the days that a text of the day `today` mentions. Dates without a year are in the year of `today`. `tokens` is the
 * result of `latinTokens` for the text.
 */
export function readDaySpans(text: string, tokens: readonly string[], today: number): DaySpan[] {
  const { relative, date } = detectTimeWords(tokens);
  const spans = relative ? readRelativeDates(text, today) : [];
  if (date) spans.push(...readDates(text, [monthAt(today).year]));
  return spans;
}
