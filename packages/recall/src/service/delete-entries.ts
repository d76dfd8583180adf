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
  const ids = p.keepEvidence ? new Set(p.ids) : await idsOfVersions(p, p.ids);
  if (!p.keepEvidence) await addEvidence(p, ids);
  return removeAndRepair(p, { ids: [...ids] }, (id) => ids.has(id));
}

/**
 * Deletes all entries of a session and the facts without remaining evidence, and returns the number of deleted entries. The given
 * turns are never ingested later, even if they are not in the store yet.
 */
export async function deleteSessionEntries(
  p: DeletionContext & { sessionId: string; turns: readonly MemoryEntry[] },
): Promise<number> {
  const { store, scope, sessionId } = p;
  const entries = await listAll(p, { sessionId });
  const ids = new Set(entries.map((entry) => entry.id));
  // Only the removal of an existing entry leaves a tombstone. So missing turns are first added without text.
  const missing = p.turns.filter(({ id }) => !ids.has(id)).map(removeText);
  const { written } = missing.length > 0 ? await store.put(scope, missing, 'ifAbsent') : { written: [] };
  const count = await removeAndRepair(p, { sessionId }, (id) => ids.has(id) || sessionOfTurn(id) === sessionId);
  return Math.max(0, count - written.length);
}

function removeText({ id, kind, sessionId, eventId }: MemoryEntry): MemoryEntry {
  return { id, kind, content: { parts: [{ text: '' }] }, sessionId, eventId };
}

/**
 * Removes entries, and repairs facts before and after the removal. Before it, so that a repeated call after a failure still finds the
 * entries that lead to these facts. After it, because another process may have written facts meanwhile.
 */
async function removeAndRepair(
  p: DeletionContext,
  removal: MemoryRemoval,
  isGone: (id: string) => boolean,
): Promise<number> {
  const before = await repairFacts(p, isGone);
  const removed = await p.store.remove(p.scope, removal, p.now);
  return before + removed + (await repairFacts(p, isGone));
}

/** Returns these ids, and then the ids of earlier and later versions of these facts and notes, the nearest versions first. */
export async function idsOfVersions(p: DeletionContext, entryIds: readonly string[]): Promise<Set<string>> {
  const ids = new Set(entryIds);
  const neighbours = new Map<string, string[]>();
  const link = (from: string, to: string): void => void (neighbours.get(from)?.push(to) ?? neighbours.set(from, [to]));
  for (const { id, supersededBy } of await listAll(p, { kinds: ['fact', 'note'] })) {
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
async function repairFacts(p: DeletionContext, isGone: (id: string) => boolean): Promise<number> {
  const facts = await listAll(p, { kinds: ['fact'] });
  const unsupported = new Set<string>();
  const isDeleted = (id: string): boolean => unsupported.has(id) || isGone(id);
  for (let before = -1; before < unsupported.size;) {
    before = unsupported.size;
    for (const { id, evidence = [] } of facts)
      if (!isDeleted(id) && evidence.length > 0 && evidence.every(isDeleted)) unsupported.add(id);
  }
  const repaired = facts
    .filter(({ id, evidence }) => !isDeleted(id) && evidence?.some(isDeleted))
    .map((fact) => ({ ...fact, evidence: fact.evidence!.filter((id) => !isDeleted(id)) }));
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
