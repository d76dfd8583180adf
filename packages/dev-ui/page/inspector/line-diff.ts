import { commonSubsequence } from './common-subsequence.ts';

/** One line of two compared texts. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Returns the changes of a text line by line. Removed lines come before added ones. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  for (const [nextI, nextJ] of [...commonSubsequence(a, b), [a.length, b.length] as const]) {
    while (i < nextI) lines.push({ kind: 'removed', text: a[i++]! });
    while (j < nextJ) lines.push({ kind: 'added', text: b[j++]! });
    if (i < a.length && j < b.length) lines.push({ kind: 'same', text: b[j]! });
    i++;
    j++;
  }
  return lines;
}
