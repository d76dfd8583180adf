import { textOf } from '@thole/core';
import type { Analyzer } from '../analyzer/analyzer.ts';
import { standardAnalyzer } from '../analyzer/standard-analyzer.ts';
import type { Scored } from '../index/word-index.ts';
import { WordIndex } from '../index/word-index.ts';
import type { MemoryRanking } from './memory-index.ts';

/** BM25 over an entry's own words. `minScore` is the fraction of the best score. */
export function wordRanking(options: { analyzer?: Analyzer | undefined } = {}): MemoryRanking {
  const analyzer = options.analyzer ?? standardAnalyzer();
  return {
    createIndex() {
      const index = new WordIndex({ analyzer });
      return {
        get bytes() {
          return index.bytes;
        },
        put: (entry) => index.put(entry.id, textOf(entry.content), entry.timestamp),
        remove: (id) => void index.remove(id),
        rank: async (query, p) => overFraction(index.search(query, p), p.minScore),
      };
    },
  };
}

function overFraction(found: Scored[], fraction: number | undefined): Scored[] {
  const best = found[0]?.score;
  return fraction === undefined || best === undefined ? found : found.filter((one) => one.score >= fraction * best);
}
