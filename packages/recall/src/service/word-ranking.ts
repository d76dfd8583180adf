import { ZonedTime } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { Analyzer } from '../analysis/analyzer.ts';
import { standardAnalyzer } from '../analysis/standard-analyzer.ts';
import { ScoringScratch } from '../signals/scoring-scratch.ts';
import { rankTurns } from '../signals/rank-turns.ts';
import { readQuery } from '../signals/read-query.ts';
import type { Today } from '../signals/read-query.ts';
import { dayAt } from '../dates/day-span.ts';
import { RecallIndex } from '../index/recall-index.ts';
import { resolveTunings } from './resolve-tunings.ts';
import type { RecallTuningOptions } from './resolve-tunings.ts';
import type { Scored } from './scored.ts';
import { fromColumns, toColumns } from './saved-columns.ts';
import type { RecallTunings } from '../signals/signals.ts';
import type { MemoryIndex, MemoryRanking, RankRequest } from './memory-index.ts';
import { filterByMinScore } from './filter-by-min-score.ts';

/** How words are made, and how much each signal counts. */
export interface WordRankingOptions extends RecallTuningOptions {
  analyzer?: Analyzer | undefined;
}

/**
 * The ranking of memory by words: BM25 of a turn, of the turns around it and of its session, who and when is asked about, and
 * what else `RecallWeights` names. `minScore` is the fraction of the best score.
 */
export function wordRanking(options: WordRankingOptions = {}): MemoryRanking {
  rejectUnknownOptions(options, ['analyzer', 'chat', 'messages', 'chatLength'], 'wordRanking');
  const analyzer = options.analyzer ?? standardAnalyzer();
  const tunings = resolveTunings(options);
  // A search does not wait in the middle, so all indexes share one scratch.
  const scratch = new ScoringScratch();
  const asMemoryIndex = (index: RecallIndex): MemoryIndex => ({
    get bytes() {
      return index.bytes;
    },
    put: (entry) => index.put(entry),
    remove: (id) => void index.remove(id),
    save: () => toColumns(index),
    rank: async (query, p) => rank(index, query, p, { tunings, scratch }),
  });
  return {
    savedAs: `words-5:${analyzer.id}`,
    createIndex: () => asMemoryIndex(new RecallIndex(analyzer)),
    *loadIndex(columns) {
      return asMemoryIndex(yield* fromColumns(columns, analyzer));
    },
  };
}

function rank(
  index: RecallIndex,
  text: string,
  p: RankRequest,
  { tunings, scratch }: { tunings: RecallTunings; scratch: ScoringScratch },
): Scored[] {
  const { accepts, limit, minRelevance, explain } = p;
  const { turns, authors, analyzer } = index;
  const isChat = index.averageLength <= tunings.chatLength;
  const today = p.now === undefined ? undefined : todayIn(p.timeZone, p.now);
  const query = readQuery(text, { analyzer, authors, years: () => index.years(), today, isChat });
  const found = rankTurns(index, query, isChat ? tunings.chat : tunings.messages, scratch, {
    limit,
    minRelevance,
    accepts: accepts && ((slot) => accepts(turns.ids[slot]!)),
    explain,
  });
  const scored = found.map(({ slot, score, relevance, explanation }) => {
    const id = turns.ids[slot]!;
    return explanation ? { id, score, relevance, explanation } : { id, score, relevance };
  });
  return filterByMinScore(scored, p.minScore);
}

function todayIn(timeZone: string | undefined, now: number): Today {
  const offset = timeZone === undefined ? 0 : new ZonedTime(timeZone).offsetAt(now);
  return { day: dayAt(now + offset), offset: offset / 86_400 };
}
