import { textOf } from '@thole/core';
import { getOwn } from '@thole/core/kit';
import type { MemoryEntry, MemoryScope, MemoryStore } from '@thole/core';
import { copyEntry } from './assert-memory.ts';
import { hasExpired } from './matches-filter.ts';
import type { IndexCache } from './index-cache.ts';

/** Dependencies of functions that change entries. Replaced texts, names and metadata are also removed from the saved index. */
export interface ChangeContext {
  store: MemoryStore;
  indexes: IndexCache;
  scope: MemoryScope;
  /** Current time in seconds. */
  now: number;
}

/** Overwrites the given members of an entry and returns it. Returns undefined if the entry does not exist or has expired. */
export async function changeEntry(
  { store, indexes, scope, now }: ChangeContext,
  id: string,
  change: { [name: string]: unknown },
): Promise<MemoryEntry | undefined> {
  const [found] = await store.get(scope, [id]);
  if (!found || hasExpired(found.entry, now)) return undefined;
  const members = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const entry = copyEntry({ ...found.entry, ...members, id, scope: found.entry.scope }, 'change');
  // `ifPresent`, so that an entry that another process has deleted meanwhile is not restored.
  const { written, seq } = await store.put(scope, [entry], 'ifPresent');
  if (written.length === 0) return undefined;
  if (!hasAllOf(entry, found.entry)) await indexes.deleteSaved(scope, seq);
  return entry;
}

/** Adds or replaces entries with different ids. Only entries in `mayExist` can replace existing entries. */
export async function replaceEntries(
  { store, indexes, scope }: ChangeContext,
  entries: readonly MemoryEntry[],
  mayExist: readonly MemoryEntry[],
): Promise<void> {
  const after = new Map(mayExist.map((entry) => [entry.id, entry]));
  const before = indexes.areSaved && after.size > 0 ? await store.get(scope, [...after.keys()]) : [];
  const { seq } = await store.put(scope, entries, 'replace');
  if (before.some(({ entry }) => !hasAllOf(after.get(entry.id)!, entry))) await indexes.deleteSaved(scope, seq);
}

/** True if an entry still has all texts, names and metadata of its earlier version, which a saved index may contain. */
function hasAllOf(entry: MemoryEntry, before: MemoryEntry): boolean {
  if (textOf(entry.content) !== textOf(before.content)) return false;
  for (const name of ['author', 'sessionId', 'eventId'] as const)
    if (before[name] !== undefined && before[name] !== entry[name]) return false;
  const { topics = [], customMetadata = {} } = entry;
  if (!(before.topics ?? []).every((topic) => topics.includes(topic))) return false;
  const metadata = Object.entries(before.customMetadata ?? {});
  return metadata.every(([name, value]) => JSON.stringify(value) === JSON.stringify(getOwn(customMetadata, name)));
}
