import { textOf } from '@thole/core';
import { TopK } from '../index/top-k.ts';
import { isNewer } from './is-newer.ts';
import type { MemoryRanking } from './memory-index.ts';

interface IndexedText {
  id: string;
  text: string;
  timestamp: number;
}

/** Entries that hold the whole query somewhere, in any case; newest first, each with a score and a relevance of 1. */
export function substringMemoryRanking(): MemoryRanking {
  return {
    createIndex() {
      const held = new Map<string, IndexedText>();
      let bytes = 0;
      function remove(id: string): void {
        bytes -= 2 * (held.get(id)?.text.length ?? 0);
        held.delete(id);
      }
      return {
        get bytes() {
          return bytes + held.size * 100;
        },
        put(entry) {
          remove(entry.id);
          const text = textOf(entry.content).toLowerCase();
          bytes += 2 * text.length;
          held.set(entry.id, { id: entry.id, text, timestamp: entry.timestamp ?? -Infinity });
        },
        remove,
        async rank(query, p) {
          const wanted = query.trim().toLowerCase();
          const all = [...held.values()];
          const best = new TopK(p.limit, (a, b) => isNewer(all[a]!, all[b]!));
          all.forEach(({ id, text }, i) => {
            if (text.includes(wanted) && (!p.accepts || p.accepts(id))) best.offer(i);
          });
          if ((p.minScore ?? 0) > 1) return [];
          return best.sorted().map((i) => ({ id: all[i]!.id, score: 1, relevance: 1 }));
        },
      };
    },
  };
}
