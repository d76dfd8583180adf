import type { DiffLine } from './line-diff.ts';

/** Maximum number of shown lines: a browser needs seconds to draw all lines of a large file. */
const MAX_LINES = 2_000;

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** Two texts compared line by line. Unchanged lines are collapsed, except near a change. */
export function DiffText({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const near = nearChange(lines);
  const shown = lines.map((line, i) => ({ line, i })).filter(({ i }) => near[i]);
  return (
    <pre class="diff" aria-label={label} tabIndex={0}>
      {shown.slice(0, MAX_LINES).map(({ line, i }, at) => (
        <>
          {at > 0 && shown[at - 1]!.i < i - 1 && (
            <span class="diff-gap">⋯ {i - shown[at - 1]!.i - 1} unchanged lines</span>
          )}
          <span key={i} class="diff-line" data-kind={line.kind}>
            <span aria-hidden="true">{signs[line.kind]} </span>
            {line.kind !== 'same' && <span class="visually-hidden">{line.kind}: </span>}
            {line.text}
          </span>
        </>
      ))}
      {shown.length > MAX_LINES && <span class="diff-gap">⋯ {shown.length - MAX_LINES} more lines</span>}
    </pre>
  );
}

/** Number of unchanged lines shown before and after a change. */
const CONTEXT_LINES = 3;

function nearChange(lines: readonly DiffLine[]): boolean[] {
  const near = lines.map(() => false);
  lines.forEach(({ kind }, i) => {
    if (kind === 'same') return;
    for (let at = Math.max(0, i - CONTEXT_LINES); at <= Math.min(lines.length - 1, i + CONTEXT_LINES); at++)
      near[at] = true;
  });
  return near;
}
