import type { MemoryEntry } from '@thole/core';
import { formatDay } from '../../components/format.ts';

/** Returns when a fact is valid: `since …`, `until …`, or both. Empty if neither is known. */
export function validity({ validFrom, validTo }: MemoryEntry): string {
  const from = validFrom === undefined ? '' : formatDay(validFrom);
  const to = validTo === undefined ? '' : formatDay(validTo);
  if (from && to) return from === to ? `on ${from}` : `${from} – ${to}`;
  if (from) return `since ${from}`;
  return to && `until ${to}`;
}
