import type { MemoryEntry, MemoryFilter, MemoryRemoval, MemoryScope, MemoryStore } from '@thole/core';

const ENTRIES_PER_READ = 500;

/** Dependencies of functions that delete entries. */
export interface DeletionContext {
  store: MemoryStore;
  scope: MemoryScope;
  /** Current time in seconds. */
  now: number;
}

/**
 * Deletes entries, and facts without remaining evidence. Unless `keepEvidence` is set, also deletes the other versions of a fact
 * (linked by `supersededBy`, in both directions) and the evidence of all versions. Returns the number of deleted entries. After a
 * failure, the same call deletes the rest.
 */
export async function deleteEntries(
  p: DeletionContext & { ids: readonly string[]; keepEvidence: boolean },
): Promise<number> {
  const start = await lastSeq(p);
  const listed = await listAll(p, { kinds: p.keepEvidence ? ['fact'] : ['fact', 'note'] });
  const ids = p.keepEvidence ? new Set(p.ids) : addVersions(new Set(p.ids), listed);
  if (!p.keepEvidence) await addEvidence(p, ids);
  const facts = listed.filter(({ kind }) => kind === 'fact');
  return removeAndRepair(p, { ids: [...ids] }, { facts, start, isGone: (id) => ids.has(id) });
}

/**
 * Deletes all entries of a session and the facts without remaining evidence, and returns the number of deleted entries. The given
 * turns are never ingested later, even if they are not in the store yet.
 */
export async function deleteSessionEntries(
  p: DeletionContext & { sessionId: string; turns: readonly MemoryEntry[] },
): Promise<number> {
  const { store, scope, sessionId } = p;
  const start = await lastSeq(p);
  const entries = await listAll(p, { sessionId });
  const ids = new Set(entries.map((entry) => entry.id));
  // Only the removal of an existing entry leaves a tombstone. So missing turns are first added without text.
  const missing = p.turns.filter(({ id }) => !ids.has(id)).map(removeText);
  const { written } = missing.length > 0 ? await store.put(scope, missing, 'ifAbsent') : { written: [] };
  const facts = await listAll(p, { kinds: ['fact'] });
  const isGone = (id: string): boolean => ids.has(id) || sessionOfTurn(id) === sessionId;
  const count = await removeAndRepair(p, { sessionId }, { facts, start, isGone });
  return Math.max(0, count - written.length);
}

function removeText({ id, kind, sessionId, eventId }: MemoryEntry): MemoryEntry {
  return { id, kind, content: { parts: [{ text: '' }] }, sessionId, eventId };
}

/**
 * Removes entries, and repairs facts before and after the removal. Before it, so that a repeated call after a failure still finds the
 * entries that lead to these facts. After it, if another process has written such facts since `start`.
 */
async function removeAndRepair(
  p: DeletionContext,
  removal: MemoryRemoval,
  { facts, start, isGone }: { facts: readonly MemoryEntry[]; start: number; isGone: (id: string) => boolean },
): Promise<number> {
  const before = await repairFacts(p, facts, isGone);
  const removed = await p.store.remove(p.scope, removal, p.now);
  if (!(await hasChangedFact(p, start, isGone))) return before + removed;
  return before + removed + (await repairFacts(p, await listAll(p, { kinds: ['fact'] }), isGone));
}

/** True if a fact that was written after `seq` has deleted evidence. */
async function hasChangedFact(p: DeletionContext, seq: number, isGone: (id: string) => boolean): Promise<boolean> {
  for (let after = seq; ;) {
    const { changes, more } = await p.store.since(p.scope, after, ENTRIES_PER_READ);
    for (const change of changes)
      if ('entry' in change && change.entry.kind === 'fact' && change.entry.evidence?.some(isGone)) return true;
    if (!more) return false;
    after = changes.at(-1)!.seq;
  }
}

async function lastSeq(p: DeletionContext): Promise<number> {
  return (await p.store.put(p.scope, [], 'ifAbsent')).seq;
}

/** Returns these ids, and then the ids of earlier and later versions of these facts and notes, the nearest versions first. */
export async function idsOfVersions(p: DeletionContext, entryIds: readonly string[]): Promise<Set<string>> {
  return addVersions(new Set(entryIds), await listAll(p, { kinds: ['fact', 'note'] }));
}

function addVersions(ids: Set<string>, entries: readonly MemoryEntry[]): Set<string> {
  const neighbours = new Map<string, string[]>();
  const link = (from: string, to: string): void => void (neighbours.get(from)?.push(to) ?? neighbours.set(from, [to]));
  for (const { id, supersededBy } of entries) {
    if (supersededBy === undefined) continue;
    link(id, supersededBy);
    link(supersededBy, id);
  }
  // The loop also visits the ids that it adds.
  for (const id of ids) for (const version of neighbours.get(id) ?? []) ids.add(version);
  return ids;
}

/** Adds the ids of the facts' evidence, and of the evidence of facts among it. */
async function addEvidence(p: DeletionContext, ids: Set<string>): Promise<void> {
  let next = [...ids];
  while (next.length > 0) {
    const found = await p.store.get(p.scope, next);
    const evidence = found.flatMap(({ entry }) => (entry.kind === 'fact' ? (entry.evidence ?? []) : []));
    next = [...new Set(evidence)].filter((id) => !ids.has(id));
    for (const id of next) ids.add(id);
  }
}

/**
 * Removes deleted ids from the evidence of facts. Deletes facts whose last evidence was removed, and facts whose evidence is only
 * such facts. Returns the number of deleted facts.
 */
async function repairFacts(
  p: DeletionContext,
  facts: readonly MemoryEntry[],
  isGone: (id: string) => boolean,
): Promise<number> {
  const unsupported = new Set<string>();
  const isDeleted = (id: string): boolean => unsupported.has(id) || isGone(id);
  for (let before = -1; before < unsupported.size;) {
    before = unsupported.size;
    for (const { id, evidence = [] } of facts)
      if (!isDeleted(id) && evidence.length > 0 && evidence.every(isDeleted)) unsupported.add(id);
  }
  const damaged = facts.filter(({ id, evidence }) => !isDeleted(id) && evidence?.some(isDeleted)).map(({ id }) => id);
  // Read again, because another process may have changed the facts since they were listed.
  const repaired = (damaged.length > 0 ? await p.store.get(p.scope, damaged) : []).flatMap(({ entry }) => {
    const evidence = entry.evidence?.filter((id) => !isDeleted(id)) ?? [];
    return evidence.length > 0 ? [{ ...entry, evidence }] : [];
  });
  if (repaired.length > 0) await p.store.put(p.scope, repaired, 'ifPresent');
  return unsupported.size === 0 ? 0 : p.store.remove(p.scope, { ids: [...unsupported] }, p.now);
}

async function listAll(p: DeletionContext, filter: MemoryFilter): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await p.store.list(p.scope, { limit: ENTRIES_PER_READ, cursor, filter });
    for (const { entry } of page.memories) entries.push(entry);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}

/** Returns the session in a turn's id. Undefined for other ids. */
function sessionOfTurn(id: string): unknown {
  if (!id.startsWith('["')) return undefined;
  try {
    return (JSON.parse(id) as unknown[])[0];
  } catch {
    return undefined;
  }
}
