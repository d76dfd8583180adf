import { textOf } from '@thole/core';
import type { CallOptions, MemoryEntry, MemoryService, UserRef } from '@thole/core';
import { standardAnalyzer } from '@thole/recall';

/** Smallest relevance of an entry that may say the same. */
const MIN_RELEVANCE = 0.6;
/** Smallest share of a statement's words that the entry itself, and not only its neighbours, must hold. */
const MIN_SHARE = 0.6;
const MAX_RESULTS = 10;

/**
 * Searches for entries that say the same as one of the texts: of high relevance, and with at least 60 % of the text’s content
 * words. Returns at most 10, most relevant first.
 */
export async function findSameStatements(
  memory: Pick<MemoryService, 'searchMemory'>,
  { texts, ...user }: UserRef & { texts: readonly string[] } & CallOptions,
): Promise<MemoryEntry[]> {
  const found = new Map<string, MemoryEntry>();
  const analyzer = standardAnalyzer();
  for (const text of new Set(texts)) {
    const wanted = new Set(analyzer.words(text, 'query').filter(isWord));
    const search = { ...user, query: text, limit: 2 * MAX_RESULTS, minRelevance: MIN_RELEVANCE };
    for (const entry of (await memory.searchMemory(search)).memories) {
      const own = new Set(analyzer.words(textOf(entry.content), 'entry'));
      const shared = [...wanted].filter((word) => own.has(word)).length;
      const best = found.get(entry.id)?.relevance ?? -1;
      if (shared > 0 && shared >= MIN_SHARE * wanted.size && (entry.relevance ?? 0) > best) found.set(entry.id, entry);
    }
  }
  return [...found.values()].toSorted((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0)).slice(0, MAX_RESULTS);
}

/** False for a further form of a word, such as a stem in another language. */
function isWord(word: string): boolean {
  return !word.startsWith('~');
}
