import { raceAbort } from '@thole/core/kit';
import type { Logger, MemoryEntry } from '@thole/core';
import { thawEntry } from './thaw-entry.ts';

/** Reorders found entries, and may leave some out. Called with the hits of one search, best first. */
export type Rerank = (
  query: string,
  hits: readonly MemoryEntry[],
  signal: AbortSignal | undefined,
) => readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>;

/**
 * Returns the hits in the order of a reranker. Entries that it did not get are ignored, and so are repetitions. If it throws or
 * returns no array, that is logged and the hits stay as they were. Rejects only if the signal is aborted.
 */
export async function rerankHits(
  rerank: Rerank,
  p: { query: string; hits: MemoryEntry[]; signal: AbortSignal | undefined; logger: Logger },
): Promise<MemoryEntry[]> {
  const { query, hits, signal, logger } = p;
  try {
    const ordered: unknown = await raceAbort(Promise.resolve(rerank(query, hits.map(thawEntry), signal)), signal);
    if (!Array.isArray(ordered)) throw new TypeError('The reranker returned no array of entries.');
    const left = new Map(hits.map((hit) => [hit.id, hit]));
    return ordered.flatMap((entry: MemoryEntry | undefined) => {
      const hit = left.get(entry?.id ?? '');
      if (hit) left.delete(hit.id);
      return hit ? [hit] : [];
    });
  } catch (error) {
    signal?.throwIfAborted();
    logger.warn('The reranker failed: memories stay in the order of the search.', { error });
    return hits;
  }
}
