import { isCurrentMemory } from '@thole/core/kit';
import type { MemoryEntry } from '@thole/core';

/** A current fact or note with its earlier versions, newest first. */
export interface KnownLine {
  entry: MemoryEntry;
  earlierVersions: readonly MemoryEntry[];
}

/** Current facts, current notes, and ended facts without a successor; each newest first. */
export interface KnownLines {
  facts: readonly KnownLine[];
  notes: readonly KnownLine[];
  ended: readonly KnownLine[];
}

/** Returns facts and notes as lines. Each entry is in one line. `now` is in seconds. */
export function knownLines(entries: readonly MemoryEntry[], now: number): KnownLines {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const replacedBy = Map.groupBy(entries, (entry) => entry.supersededBy);
  const seen = new Set<string>();

  /** Returns the earlier versions of an entry, recursively. */
  function earlierVersionsOf(entry: MemoryEntry): MemoryEntry[] {
    seen.add(entry.id);
    const replaced = (replacedBy.get(entry.id) ?? []).filter((each) => !seen.has(each.id));
    return replaced.flatMap((each) => [each, ...earlierVersionsOf(each)]);
  }
  const lineOf = (entry: MemoryEntry): KnownLine => ({
    entry,
    earlierVersions: earlierVersionsOf(entry).toSorted(byEnd),
  });

  const lines = entries.filter(({ supersededBy }) => supersededBy === undefined || !byId.has(supersededBy)).map(lineOf);
  // Entries that replace each other have no last version.
  for (const entry of entries) if (!seen.has(entry.id)) lines.push(lineOf(entry));

  const newestFirst = lines.toSorted((a, b) => timeOf(b.entry) - timeOf(a.entry));
  const current = newestFirst.filter(({ entry }) => isCurrentMemory(entry, now));
  return {
    facts: current.filter(({ entry }) => entry.kind === 'fact'),
    notes: current.filter(({ entry }) => entry.kind !== 'fact'),
    ended: newestFirst.filter(({ entry }) => !isCurrentMemory(entry, now)),
  };
}

const timeOf = ({ timestamp, validFrom }: MemoryEntry): number => timestamp ?? validFrom ?? 0;

const byEnd = (a: MemoryEntry, b: MemoryEntry): number =>
  (b.validTo ?? timeOf(b)) - (a.validTo ?? timeOf(a)) || timeOf(b) - timeOf(a);
