import { refuseUnknown } from '@thole/core';
import type { Analyzer } from '../analyzer/analyzer.ts';
import { standardAnalyzer } from '../analyzer/standard-analyzer.ts';
import { RankingRoom } from '../ranking/ranking-room.ts';
import { rankTurns } from '../ranking/rank-turns.ts';
import { readQuery } from '../ranking/read-query.ts';
import { RecallIndex } from '../ranking/recall-index.ts';
import { tuningsFrom } from '../ranking/tunings-from.ts';
import type { RecallTuningOptions } from '../ranking/tunings-from.ts';
import type { Scored } from '../index/word-index.ts';
import { columnsOf, indexFrom } from '../ranking/index-bytes.ts';
import type { RecallTunings } from '../ranking/signals.ts';
import type { MemoryIndex, MemoryRanking, RankRequest } from './memory-index.ts';
import { overFraction } from './over-fraction.ts';

/** How words are made, and how much each signal counts. */
export interface WordRankingOptions extends RecallTuningOptions {
  analyzer?: Analyzer | undefined;
}

/**
 * The ranking of memory by words: BM25 of a turn, of the turns around it and of its session, who and when is asked about, and
 * what else `RecallWeights` names. `minScore` is the fraction of the best score.
 */
export function wordRanking(options: WordRankingOptions = {}): MemoryRanking {
  refuseUnknown(options, ['analyzer', 'chat', 'messages', 'chatLength'], 'wordRanking');
  const analyzer = options.analyzer ?? standardAnalyzer();
  const tunings = tuningsFrom(options);
  // Searches do not wait in the middle, so one room is enough for all indexes.
  const room = new RankingRoom();
  const asMemoryIndex = (index: RecallIndex): MemoryIndex => ({
    get bytes() {
      return index.bytes;
    },
    put: (entry) => index.put(entry),
    remove: (id) => void index.remove(id),
    save: () => columnsOf(index),
    rank: async (query, p) => rank(index, query, p, { tunings, room }),
  });
  return {
    savedAs: `words-3:${analyzer.id}`,
    createIndex: () => asMemoryIndex(new RecallIndex(analyzer)),
    loadIndex: (columns) => asMemoryIndex(indexFrom(columns, analyzer)),
  };
}

function rank(
  index: RecallIndex,
  text: string,
  p: RankRequest,
  { tunings, room }: { tunings: RecallTunings; room: RankingRoom },
): Scored[] {
  const { accepts, limit, explain = false, now } = p;
  const { turns, authors, analyzer } = index;
  const query = readQuery(text, { analyzer, authors, years: () => index.years(), now });
  const isChat = turns.totalLength <= tunings.chatLength * turns.size;
  const found = rankTurns(index, query, isChat ? tunings.chat : tunings.messages, room, {
    limit,
    accepts: accepts && ((slot) => accepts(turns.ids[slot]!)),
    explain,
  });
  const scored = found.map(({ slot, score, explanation }) => {
    const id = turns.ids[slot]!;
    return explanation ? { id, score, explanation } : { id, score };
  });
  return overFraction(scored, p.minScore);
}
