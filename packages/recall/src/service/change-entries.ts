import { textOf } from '@thole/core';
import type { MemoryEntry, MemoryScope, MemoryStore } from '@thole/core';
import { copyEntry } from './assert-memory.ts';
import { hasExpired } from './matches-filter.ts';
import type { IndexCache } from './index-cache.ts';

/** Where entries are changed: what a text said before is forgotten in what is saved of the index, too. */
export interface ChangeContext {
  store: MemoryStore;
  indexes: IndexCache;
  scope: MemoryScope;
  /** Current time in seconds. */
  now: number;
}

/** Writes the members that are given over those of an entry. Undefined where it is not there, or not any more. */
export async function changeEntry(
  { store, indexes, scope, now }: ChangeContext,
  id: string,
  change: { [name: string]: unknown },
): Promise<MemoryEntry | undefined> {
  const [found] = await store.get(scope, [id]);
  if (!found || hasExpired(found.entry, now)) return undefined;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const entry = copyEntry({ ...found.entry, ...given, id, scope: found.entry.scope }, 'change');
  // What another process deleted meanwhile is not brought back.
  const { written, seq } = await store.put(scope, [entry], 'ifPresent');
  if (written.length === 0) return undefined;
  if (!saysTheSame(found.entry, entry)) await indexes.forgetSaved(scope, seq);
  return entry;
}

/** Writes entries of different ids whatever is there; of those in `known` there may be something. */
export async function replaceEntries(
  { store, indexes, scope }: ChangeContext,
  entries: readonly MemoryEntry[],
  known: readonly MemoryEntry[],
): Promise<void> {
  const after = new Map(known.map((entry) => [entry.id, entry]));
  const before = indexes.areSaved && after.size > 0 ? await store.get(scope, [...after.keys()]) : [];
  const { seq } = await store.put(scope, entries, 'replace');
  if (before.some(({ entry }) => !saysTheSame(entry, after.get(entry.id)!))) await indexes.forgetSaved(scope, seq);
}

function saysTheSame(one: MemoryEntry, other: MemoryEntry): boolean {
  return textOf(one.content) === textOf(other.content);
}
