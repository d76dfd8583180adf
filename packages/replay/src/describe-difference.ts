import type { ReplayDifference } from './replay-run.ts';

/** Maximum length of a value in the text. */
const MAX_VALUE_LENGTH = 300;

/** Returns a difference as text: its place, the recorded value and the current value. */
export function describeDifference(difference: ReplayDifference, runs: number): string {
  const { actual, call, event, expected, index, path, run } = difference;
  const at = runs > 1 ? `Run ${run + 1}, event ${index + 1}` : `Event ${index + 1}`;
  const subject = call === undefined ? `${at}${event ? ` of ${event.author}` : ''} differs` : `${at}: ${call} differs`;
  const place = path === '' ? '' : ` at ${path}`;
  return `${subject}${place}.\n  recorded: ${formatValue(expected)}\n  now:      ${formatValue(actual)}`;
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
