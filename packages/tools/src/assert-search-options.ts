import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { MemoryFilter } from '@thole/core';

/** Throws `INVALID_INPUT` if a search option of a tool is invalid. The memory service checks the members of `filter`. */
export function assertSearchOptions(p: {
  minRelevance: number;
  minScore: number | undefined;
  filter: MemoryFilter | undefined;
}): void {
  const { minRelevance, minScore, filter } = p;
  if (!(typeof minRelevance === 'number' && minRelevance >= 0 && minRelevance <= 1))
    throw invalidInput('minRelevance', 'a number from 0 to 1', minRelevance);
  if (minScore !== undefined && !Number.isFinite(minScore)) throw invalidInput('minScore', 'a finite number', minScore);
  if (filter !== undefined && !isPlainObject(filter)) throw invalidInput('filter', 'an object', filter);
}
