import { commonRun } from './common-run.ts';

/** One line of two texts laid over each other. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** What became of a text, line by line. What was removed stands before what was added. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  for (const [nextI, nextJ] of [...commonRun(a, b), [a.length, b.length] as const]) {
    while (i < nextI) lines.push({ kind: 'removed', text: a[i++]! });
    while (j < nextJ) lines.push({ kind: 'added', text: b[j++]! });
    if (i < a.length && j < b.length) lines.push({ kind: 'same', text: b[j]! });
    i++;
    j++;
  }
  return lines;
}
