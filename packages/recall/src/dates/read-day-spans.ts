import { monthAt } from './day-span.ts';
import type { DaySpan } from './day-span.ts';
import { readDates } from './read-dates.ts';
import { readRelativeDates } from './read-relative-dates.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
// Every expression that is read holds one of these: most texts need no closer look.
const RELATIVE =
  setOf(`yesterday today tonight tomorrow night morning afternoon evening day days week weeks weekend month months year
  years sunday monday tuesday wednesday thursday friday saturday spring summer fall autumn winter`);
const MONTH =
  setOf(`january february march april may june july august september october november december jan feb mar apr jun jul aug
  sep sept oct nov dec`);
const YEAR = /^(?:19|20)\d\d$/;

/** Whether there may be relative times or dates to read in a text of these plain words and numbers. */
export function detectTimeWords(tokens: readonly string[]): { relative: boolean; date: boolean } {
  const may = { relative: false, date: false };
  for (const token of tokens) {
    if (RELATIVE.has(token)) may.relative = true;
    // "Last March" is relative, "March 3" is not.
    else if (MONTH.has(token)) may.relative = may.date = true;
    else if (token.length === 4 && YEAR.test(token)) may.date = true;
  }
  return may;
}

/**
 * The days that a text speaks of that was said on `today`; dates without a year are in that day's. `tokens` are its plain words
 * and numbers (`plainTokens`).
 */
export function readDaySpans(text: string, tokens: readonly string[], today: number): DaySpan[] {
  const { relative, date } = detectTimeWords(tokens);
  const spans = relative ? readRelativeDates(text, today) : [];
  if (date) spans.push(...readDates(text, [monthAt(today).year]));
  return spans;
}
