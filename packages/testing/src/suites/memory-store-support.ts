import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryChanges, MemoryEntry, MemoryScope, MemoryStore, IndexSnapshots, StoredMemory } from '@thole/core';
import type { Case } from '../case.ts';

export type MemoryStoreCase = Case<MemoryStore>;

/** The user of most cases. */
export const alice: MemoryScope = { appName: 'hotel', userId: 'alice' };
/** Another user of the same app. */
export const bob: MemoryScope = { appName: 'hotel', userId: 'bob' };

/** Returns a note with this id and a default text. */
export function note(id: string, more: Partial<MemoryEntry> & { text?: string | undefined } = {}): MemoryEntry {
  const { text = id, ...rest } = more;
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10, ...rest };
}

/** Returns N notes: `n0`, `n1` … */
export function notes(count: number, more: Partial<MemoryEntry> = {}): MemoryEntry[] {
  return Array.from({ length: count }, (_, i) => note(`n${i}`, more));
}

/** Returns all changes after the seq `after`, read in pages of `page`, as `seq id` for writes and `seq -id` for removals. */
export async function log(
  store: MemoryStore,
  scope: MemoryScope = alice,
  p: { after?: number; page?: number } = {},
): Promise<string[]> {
  const { changes } = await readAllChanges(store, scope, p);
  return changes.map((each) => `${each.seq} ${'removed' in each ? `-${each.removed}` : each.entry.id}`);
}

export async function readAllChanges(
  store: MemoryStore,
  scope: MemoryScope = alice,
  { after = 0, page = 100 }: { after?: number; page?: number } = {},
): Promise<MemoryChanges> {
  const changes: MemoryChanges['changes'] = [];
  for (let seq = after; ;) {
    const found = await store.since(scope, seq, page);
    for (const each of found.changes) assert.ok(each.seq > seq, `since(${seq}) must return only changes after ${seq}`);
    changes.push(...found.changes);
    if (!found.more) return { changes, removals: found.removals, more: false };
    assert.equal(found.changes.length, page, 'a page with more = true must be full');
    seq = found.changes.at(-1)!.seq;
  }
}

/** Returns the entries among the changes, without the ids of writes. */
export function storedOf(changes: MemoryChanges['changes']): StoredMemory[] {
  return changes.flatMap((each) => ('entry' in each ? { seq: each.seq, entry: each.entry } : []));
}

/** Returns the ids of all entries, in the order of the log. */
export async function ids(store: MemoryStore, scope: MemoryScope = alice): Promise<string[]> {
  return (await listAll(store, scope)).map(({ entry }) => entry.id);
}

/** Returns the texts of all entries, in the order of the log. */
export async function texts(store: MemoryStore, scope: MemoryScope = alice): Promise<string[]> {
  return (await listAll(store, scope)).map(({ entry }) => textOf(entry.content));
}

export async function listAll(
  store: MemoryStore,
  scope: MemoryScope = alice,
  page: Omit<Parameters<MemoryStore['list']>[1], 'limit'> & { limit?: number } = {},
): Promise<StoredMemory[]> {
  const found: StoredMemory[] = [];
  let { cursor } = page;
  do {
    const answer = await store.list(scope, { limit: 100, ...page, cursor });
    found.push(...answer.memories);
    cursor = nextCursor(answer.next, cursor);
  } while (cursor !== undefined);
  return found;
}

/** Returns the cursor of the next page. Fails if it is the cursor of the same page, because a reader would never end. */
export function nextCursor(next: string | undefined, cursor: string | undefined): string | undefined {
  assert.ok(next === undefined || next !== cursor, 'next must be the cursor of another page');
  return next;
}

/** Returns `abilities.segmented`. Fails if the store lacks it. */
export function segmentedOf(store: MemoryStore): IndexSnapshots {
  assert.ok(store.abilities.segmented, 'A suite that claims "segmented" needs abilities.segmented.');
  return store.abilities.segmented;
}
