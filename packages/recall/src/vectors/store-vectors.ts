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
 * Embeds texts by entry id and stores their vectors. Afterwards deletes vectors of entries that another process has removed, and
 * embeds entries again whose text another process has changed.
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
  if (rows.length > 0) await store.upsert(scope, rows);
  const current = new Map<string, string>();
  for (const { entry } of await log.get(scope, ids)) current.set(entry.id, textOf(entry.content));
  const unwanted = ids.filter((id) => !isWanted(id) || !hasText({ text: current.get(id) ?? '' }));
  if (unwanted.length > 0) await store.delete(scope, unwanted);
  for (const id of unwanted) current.delete(id);
  const changed = new Map([...current].filter(([id, text]) => texts.get(id) !== text));
  if (changed.size > 0) await storeVectors(deps, changed, p);
}

/** True if the text has something to embed. */
export function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}
