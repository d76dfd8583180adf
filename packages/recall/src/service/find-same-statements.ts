import { textOf } from '@thole/core';
import type { CallOptions, MemoryEntry, MemoryRef, MemoryService } from '@thole/core';
import { standardAnalyzer } from '../analysis/standard-analyzer.ts';

/** Minimum relevance of an entry that may say the same. */
const MIN_RELEVANCE = 0.6;
/** Minimum share of a statement's words that the entry itself must contain, and not only its neighbours. */
const MIN_SHARE = 0.6;
const MAX_RESULTS = 10;
/** Maximum number of texts to search for. A fact that changes every day has hundreds of versions. */
const MAX_TEXTS = 50;

/**
 * Searches for entries that say the same as one of the first 50 texts: with high relevance, and with at least 60 % of the text's
 * content words. Returns at most 10 entries, most relevant first, and none with an id in `excludedIds`.
 */
export async function findSameStatements(
  memory: Pick<MemoryService, 'searchMemory'>,
  p: MemoryRef & { texts: readonly string[]; excludedIds?: readonly string[] | undefined } & CallOptions,
): Promise<MemoryEntry[]> {
  const { texts, excludedIds = [], ...owner } = p;
  const results = new Map<string, MemoryEntry>();
  const analyzer = standardAnalyzer();
  const limit = 2 * MAX_RESULTS + excludedIds.length;
  for (const text of [...new Set(texts)].slice(0, MAX_TEXTS)) {
    const textWords = new Set(analyzer.words(text, 'query').filter(isWord));
    // Not the service's default for the score, which depends on the other results.
    const search = { limit, minRelevance: MIN_RELEVANCE, minScore: -1 };
    const { memories } = await memory.searchMemory({ ...owner, query: text, ...search });
    for (const entry of memories) {
      if (excludedIds.includes(entry.id)) continue;
      const entryWords = new Set(analyzer.words(textOf(entry.content), 'entry'));
      const shared = [...textWords].filter((word) => entryWords.has(word)).length;
      const best = results.get(entry.id)?.relevance ?? -1;
      if (shared > 0 && shared >= MIN_SHARE * textWords.size && (entry.relevance ?? 0) > best)
        results.set(entry.id, entry);
    }
  }
  return [...results.values()].toSorted((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0)).slice(0, MAX_RESULTS);
}

/** False for an additional form of a word, such as a stem in another language. */
function isWord(word: string): boolean {
  return !word.startsWith('~');
}
