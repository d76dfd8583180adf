import { raceAbort } from '@thole/core/kit';
import type { Logger, MemoryEntry } from '@thole/core';
import { thawEntry } from './thaw-entry.ts';

/** Returns the results of a search in a new order, possibly without some of them. `hits` are best first. */
export type Rerank = (
  query: string,
  hits: readonly MemoryEntry[],
  signal: AbortSignal | undefined,
) => readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>;

/**
 * Returns the hits in the order of a reranker. Ignores repetitions and entries that are not hits. If the reranker throws,
 * does not return an array or returns no hit in a list that is not empty, logs a warning and returns the hits unchanged. Rejects
 * only if the signal is aborted.
 */
export async function rerankHits(
  rerank: Rerank,
  p: { query: string; hits: MemoryEntry[]; signal: AbortSignal | undefined; logger: Logger },
): Promise<MemoryEntry[]> {
  const { query, hits, signal, logger } = p;
  try {
    const ordered: unknown = await raceAbort(Promise.resolve(rerank(query, hits.map(thawEntry), signal)), signal);
    if (!Array.isArray(ordered)) throw new TypeError('The reranker must return an array of entries.');
    const remaining = new Map(hits.map((hit) => [hit.id, hit]));
    const chosen = ordered.flatMap((entry: MemoryEntry | undefined) => {
      const hit = remaining.get(entry?.id ?? '');
      if (hit) remaining.delete(hit.id);
      return hit ? [hit] : [];
    });
    if (ordered.length > 0 && chosen.length === 0) throw new TypeError('The reranker must return entries of its hits.');
    return chosen;
  } catch (error) {
    signal?.throwIfAborted();
    logger.warn('The reranker failed; the results keep the order of the search.', { error });
    return hits;
  }
}
