import type { Usage } from '@thole/core';

/** Adds the counts of `more` to `total`. */
export function addUsage(total: Usage, more: Usage | undefined): void {
  for (const [name, count] of Object.entries(more ?? {}) as [keyof Usage, number | undefined][]) {
    if (typeof count === 'number') total[name] = (total[name] ?? 0) + count;
  }
}
