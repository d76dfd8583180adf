import { textOf } from '@thole/core';
import type { MemoryScope, MemoryStore, VectorStore } from '@thole/core';
import type { EmbeddingClient } from './embedding-client.ts';

/** What makes one user's vectors, and where they and the entries are. */
export interface EmbeddingDeps {
  readonly client: EmbeddingClient;
  readonly store: VectorStore;
  /** Where the entries are kept: asked whether they still are, and say what they said. */
  readonly log: Pick<MemoryStore, 'get'>;
  readonly scope: MemoryScope;
}

/**
 * Keeps vectors of these texts, by the ids of their entries, and none of what is not in the log any more, nor of what an entry
 * does not say any more: another process may have forgotten or changed it while it was embedded.
 */
export async function storeVectors(
  places: EmbeddingDeps,
  texts: ReadonlyMap<string, string>,
  p: {
    model: string;
    /** Asked again after each wait. */
    isWanted: (id: string) => boolean;
    maxAttempts: number | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { client, store, log, scope } = places;
  const { model, isWanted, maxAttempts, signal } = p;
  const ids = [...texts.keys()];
  const vectors = await client.embed([...texts.values()], { task: 'document', signal, maxAttempts });
  const rows = ids.flatMap((id, i) => {
    const vector = vectors[i];
    return vector && isWanted(id) ? [{ id, model, vector }] : [];
  });
  if (rows.length > 0) await store.upsert(scope, rows);
  const now = new Map<string, string>();
  for (const { entry } of await log.get(scope, ids)) now.set(entry.id, textOf(entry.content));
  const unwanted = ids.filter((id) => !isWanted(id) || !hasText({ text: now.get(id) ?? '' }));
  if (unwanted.length > 0) await store.delete(scope, unwanted);
  for (const id of unwanted) now.delete(id);
  const changed = new Map([...now].filter(([id, text]) => texts.get(id) !== text));
  if (changed.size > 0) await storeVectors(places, changed, p);
}

/** Whether there is anything to embed. */
export function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}
