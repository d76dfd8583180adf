import type { MemoryEntry, MemoryFilter, MemoryRemoval, MemoryScope, MemoryStore } from '@thole/core';

const PAGE = 500;

/** Where something is forgotten, and when. */
export interface DeletionContext {
  store: MemoryStore;
  scope: MemoryScope;
  /** Seconds. */
  now: number;
}

/**
 * Removes entries and returns how many were removed. Unless evidence is to be kept, also removes every other version of a
 * removed fact (linked by `supersededBy`, in both directions), the evidence of all of them, and the facts that lose their last
 * evidence. A call that is repeated after a failure removes the rest.
 */
export async function deleteEntries(
  p: DeletionContext & { ids: readonly string[]; keepEvidence: boolean },
): Promise<number> {
  const doomed = new Set(p.ids);
  if (!p.keepEvidence) {
    await addVersions(p, doomed);
    await addEvidence(p, doomed);
  }
  return removeAndRepair(p, { ids: [...doomed] }, (id) => doomed.has(id));
}

/**
 * Removes what came from one session, and the facts that lose their last evidence by it; turns that are not there yet are kept from
 * coming. Answers how many went.
 */
export async function deleteSessionEntries(
  p: DeletionContext & { sessionId: string; turns: readonly MemoryEntry[] },
): Promise<number> {
  const { store, scope, sessionId } = p;
  const entries = await listAll(p, { sessionId });
  const doomed = new Set(entries.map((entry) => entry.id));
  // Only what was there leaves a tombstone, so they are there for a moment, without a word.
  const missing = p.turns.filter(({ id }) => !doomed.has(id)).map(withoutWords);
  const { written } = missing.length > 0 ? await store.put(scope, missing, 'ifAbsent') : { written: [] };
  const went = await removeAndRepair(p, { sessionId }, (id) => doomed.has(id) || sessionOfTurn(id) === sessionId);
  return Math.max(0, went - written.length);
}

function withoutWords({ id, kind, sessionId, eventId }: MemoryEntry): MemoryEntry {
  return { id, kind, content: { parts: [{ text: '' }] }, sessionId, eventId };
}

// Facts are mended first: who begins again after a failure still finds what leads to them. And once more for those that
// another process has written meanwhile.
async function removeAndRepair(
  p: DeletionContext,
  what: MemoryRemoval,
  isGone: (id: string) => boolean,
): Promise<number> {
  const unfounded = await repairFacts(p, isGone);
  const removed = await p.store.remove(p.scope, what, p.now);
  return unfounded + removed + (await repairFacts(p, isGone));
}

/** Adds the earlier and later versions of the facts and notes in `doomed`. */
async function addVersions(p: DeletionContext, doomed: Set<string>): Promise<void> {
  const linked = (await listAll(p, { kinds: ['fact', 'note'] })).filter((entry) => entry.supersededBy !== undefined);
  for (let before = -1; before < doomed.size;) {
    before = doomed.size;
    for (const { id, supersededBy } of linked)
      if (doomed.has(id) || doomed.has(supersededBy!)) doomed.add(id).add(supersededBy!);
  }
}

async function addEvidence(p: DeletionContext, doomed: Set<string>): Promise<void> {
  let frontier = [...doomed];
  while (frontier.length > 0) {
    const found = await p.store.get(p.scope, frontier);
    const evidence = found.flatMap(({ entry }) => (entry.kind === 'fact' ? (entry.evidence ?? []) : []));
    frontier = [...new Set(evidence)].filter((id) => !doomed.has(id));
    for (const id of frontier) doomed.add(id);
  }
}

/** Takes what is gone out of facts' evidence; a fact that had some and has none left goes, and so on for facts that rest on it. */
async function repairFacts(p: DeletionContext, isGone: (id: string) => boolean): Promise<number> {
  const facts = await listAll(p, { kinds: ['fact'] });
  const unfounded = new Set<string>();
  const goes = (id: string): boolean => unfounded.has(id) || isGone(id);
  for (let before = -1; before < unfounded.size;) {
    before = unfounded.size;
    for (const { id, evidence = [] } of facts)
      if (!goes(id) && evidence.length > 0 && evidence.every(goes)) unfounded.add(id);
  }
  const mended = facts
    .filter(({ id, evidence }) => !goes(id) && evidence?.some(goes))
    .map((fact) => ({ ...fact, evidence: fact.evidence!.filter((id) => !goes(id)) }));
  if (mended.length > 0) await p.store.put(p.scope, mended, 'ifPresent');
  return unfounded.size === 0 ? 0 : p.store.remove(p.scope, { ids: [...unfounded] }, p.now);
}

async function listAll(p: DeletionContext, filter: MemoryFilter): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await p.store.list(p.scope, { limit: PAGE, cursor, filter });
    for (const { entry } of page.memories) entries.push(entry);
    cursor = page.next;
  } while (cursor !== undefined);
  return entries;
}

/** The session in a turn's id; undefined for ids of another make. */
function sessionOfTurn(id: string): unknown {
  if (!id.startsWith('["')) return undefined;
  try {
    return (JSON.parse(id) as unknown[])[0];
  } catch {
    return undefined;
  }
}
