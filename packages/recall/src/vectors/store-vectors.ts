import { textOf } from '@thole/core';
import type { MemoryScope, MemoryStore, VectorStore } from '@thole/core';
import type { EmbeddingClient } from './embedding-client.ts';

/** The services that embed one user's entries and store their vectors. */
export interface EmbeddingDeps {
  readonly client: EmbeddingClient;
  readonly store: VectorStore;
  /** The store of the entries, to check that an entry still exists with the same text. */
  readonly log: Pick<MemoryStore, 'get'>;
  readonly scope: MemoryScope;
}

/**
 * Embeds texts by entry id and stores their vectors. Afterwards deletes vectors of entries that were removed meanwhile, and embeds
 * entries again whose text was changed. It does not delete the vectors of changed entries: another process may have stored
 * vectors of another model for the new text.
 */
export async function storeVectors(
  deps: EmbeddingDeps,
  texts: ReadonlyMap<string, string>,
  p: {
    model: string;
    /** Returns false for entries that were removed or changed. Called again after each wait. */
    isWanted: (id: string) => boolean;
    maxAttempts: number | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { client, store, log, scope } = deps;
  const { model, isWanted, maxAttempts, signal } = p;
  const ids = [...texts.keys()];
  const vectors = await client.embed([...texts.values()], { task: 'document', signal, maxAttempts });
  const rows = ids.flatMap((id, i) => {
    const vector = vectors[i];
    return vector && isWanted(id) ? [{ id, model, vector }] : [];
  });
  if (rows.length === 0) return;
  await store.upsert(scope, rows);
  const stored = rows.map(({ id }) => id);
  const current = new Map<string, string>();
  for (const { entry } of await log.get(scope, stored)) current.set(entry.id, textOf(entry.content));
  const changed = new Map([...current].filter(([id, text]) => text !== texts.get(id) && hasText({ text })));
  // If the text is still the same, an unwanted entry is about to be removed or changed.
  const unwanted = stored.filter(
    (id) => !changed.has(id) && (!isWanted(id) || !hasText({ text: current.get(id) ?? '' })),
  );
  if (unwanted.length > 0) await store.delete(scope, unwanted);
  // Also if this process has read the change: until it embeds the entry again, the vector of the earlier text would remain.
  if (changed.size > 0) await storeVectors(deps, changed, { ...p, isWanted: () => true });
}

/** True if the text has something to embed. */
export function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}
