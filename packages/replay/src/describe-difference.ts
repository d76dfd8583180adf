import type { ReplayDifference } from './replay-run.ts';

/** Maximum length of a value in the text. */
const MAX_VALUE_LENGTH = 300;

/** Number of characters that are shown before the first difference of two long texts. */
const CONTEXT_LENGTH = 60;

/** Returns a difference as text: its place, the recorded value and the current value. */
export function describeDifference(difference: ReplayDifference, runs: number): string {
  const { actual, call, event, expected, index, path, run } = difference;
  const at = runs > 1 ? `Run ${run + 1}, event ${index + 1}` : `Event ${index + 1}`;
  const subject = call === undefined ? `${at}${event ? ` of ${event.author}` : ''} differs` : `${at}: ${call} differs`;
  const place = path === '' ? '' : ` at ${path}`;
  const from = firstDifferentCharacter(expected, actual);
  return `${subject}${place}.\n  recorded: ${formatValue(expected, from)}\n  now:      ${formatValue(actual, from)}`;
}

/** Returns the position of the first different character of two texts. 0 for other values. */
function firstDifferentCharacter(expected: unknown, actual: unknown): number {
  if (typeof expected !== 'string' || typeof actual !== 'string') return 0;
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  return at;
}

/** Returns a value as JSON. A long value is cut, so that the character at `from` is near the beginning. */
function formatValue(value: unknown, from: number): string {
  if (value === undefined) return 'nothing';
  const isCut = typeof value === 'string' && from > MAX_VALUE_LENGTH / 2;
  const text = JSON.stringify(isCut ? value.slice(from - CONTEXT_LENGTH) : value);
  const end = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
  return isCut ? `…${end}` : end;
}
