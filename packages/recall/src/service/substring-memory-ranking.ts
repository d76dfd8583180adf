import { textOf } from '@thole/core';
import { TopK } from '../index/top-k.ts';
import { isNewer } from './is-newer.ts';
import type { MemoryRanking } from './memory-index.ts';

interface IndexedText {
  id: string;
  text: string;
  timestamp: number;
}

/** Returns a ranking that finds entries whose text contains the whole query, ignoring case. Newest first; score and relevance are 1. */
export function substringMemoryRanking(): MemoryRanking {
  return {
    createIndex() {
      const indexed = new Map<string, IndexedText>();
      let bytes = 0;
      function remove(id: string): void {
        bytes -= 2 * (indexed.get(id)?.text.length ?? 0);
        indexed.delete(id);
      }
      return {
        get bytes() {
          return bytes + indexed.size * 100;
        },
        put(entry) {
          remove(entry.id);
          const text = textOf(entry.content).toLowerCase();
          bytes += 2 * text.length;
          indexed.set(entry.id, { id: entry.id, text, timestamp: entry.timestamp ?? -Infinity });
        },
        remove,
        async rank(query, p) {
          const substring = query.trim().toLowerCase();
          const all = [...indexed.values()];
          const best = new TopK(p.limit, (a, b) => isNewer(all[a]!, all[b]!));
          all.forEach(({ id, text }, i) => {
            if (text.includes(substring) && (!p.accepts || p.accepts(id))) best.offer(i);
          });
          if ((p.minScore ?? 0) > 1) return [];
          return best.sorted().map((i) => ({ id: all[i]!.id, score: 1, relevance: 1 }));
        },
      };
    },
  };
}
