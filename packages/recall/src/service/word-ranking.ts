import { ZonedTime } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Analyzer } from '../analysis/analyzer.ts';
import { standardAnalyzer } from '../analysis/standard-analyzer.ts';
import { ScoringScratch } from '../signals/scoring-scratch.ts';
import { rankTurns } from '../signals/rank-turns.ts';
import { readQuery } from '../signals/read-query.ts';
import type { Query, Today } from '../signals/read-query.ts';
import { dayAt } from '../dates/day-span.ts';
import { RecallIndex } from '../index/recall-index.ts';
import { resolveTunings } from './resolve-tunings.ts';
import type { RecallTuningOptions } from './resolve-tunings.ts';
import type { Scored } from './scored.ts';
import { fromColumns, toColumns } from './saved-columns.ts';
import type { RecallTunings } from '../signals/signals.ts';
import type { MemoryIndex, MemoryRanking, RankRequest } from './memory-index.ts';
import { filterByMinScore } from './filter-by-min-score.ts';
import type { Steps } from './time-slicer.ts';

/** The analyzer and the tuning of `wordRanking`. */
export interface WordRankingOptions extends RecallTuningOptions {
  /** Splits texts into words. Default: `standardAnalyzer()`. */
  analyzer?: Analyzer | undefined;
}

const wordRankingOptionNames = optionNames<WordRankingOptions>({
  analyzer: true,
  chat: true,
  messages: true,
  chatLength: true,
});

/** Minimum number of entries with a word for which a first search of only this word takes milliseconds. */
const MIN_FREQUENT = 200;
/** Maximum number of words that are searched one by one. After them, the code is compiled. */
const MAX_SEPARATE = 8;
const DAY_MS = 86_400_000;

/** Tunings and working memory that all indexes of a ranking share. */
interface RankingTools {
  readonly tunings: RecallTunings;
  readonly scratch: ScoringScratch;
}

/**
 * Returns a ranking by words: BM25 of a turn, its neighbours and its session, the subject and the time of the query, and the other
 * signals of `RecallWeights`. `minScore` is a fraction of the best score. Throws `INVALID_INPUT` for invalid options.
 */
export function wordRanking(options: WordRankingOptions = {}): MemoryRanking {
  rejectUnknownOptions(options, wordRankingOptionNames, 'wordRanking');
  const { analyzer = standardAnalyzer() } = options;
  if (typeof analyzer?.words !== 'function' || typeof analyzer.id !== 'string')
    throw invalidInput('analyzer', 'an Analyzer', analyzer);
  const tunings = resolveTunings(options);
  // A search runs without pauses, so all indexes share one scratch.
  const scratch = new ScoringScratch();
  const toMemoryIndex = (index: RecallIndex): MemoryIndex => ({
    get bytes() {
      return index.bytes;
    },
    put: (entry) => index.put(entry),
    remove: (id) => void index.remove(id),
    save: () => toColumns(index),
    warmUp: (query, p) => warmUp(index, query, p, { tunings, scratch }),
    rank: async (query, p) => rank(index, query, p, { tunings, scratch }),
  });
  return {
    savedAs: `words-6:${analyzer.id}`,
    createIndex: () => toMemoryIndex(new RecallIndex(analyzer)),
    *loadIndex(columns) {
      return toMemoryIndex(yield* fromColumns(columns, analyzer));
    },
  };
}

/**
 * Searches for the frequent words and the times of a query separately, because code is slow until it has run a few times.
 * Also loads stemmers and lists of stop words, which only queries need.
 */
function* warmUp(index: RecallIndex, text: string, p: RankRequest, { tunings, scratch }: RankingTools): Steps<void> {
  const { query, isChat } = readWordQuery(index, text, p, tunings);
  yield;
  const { words } = index;
  const countOf = (word: string): number => {
    const number = words.find(word);
    return number === undefined ? 0 : words.postingsOf(number).length;
  };
  const frequentWords = query.words
    .filter((word) => countOf(word) >= MIN_FREQUENT)
    .sort((a, b) => countOf(a) - countOf(b));
  const parts = frequentWords.slice(0, MAX_SEPARATE).map((word): Query => ({ ...query, words: [word], spans: [] }));
  if (query.spans.length > 0) parts.push({ ...query, words: [] });
  for (const part of parts) {
    rankTurns(index, part, isChat ? tunings.chat : tunings.messages, scratch, { limit: p.limit });
    yield;
  }
}

function rank(index: RecallIndex, text: string, p: RankRequest, { tunings, scratch }: RankingTools): Scored[] {
  const { accepts, limit, minRelevance, explain } = p;
  const { turns } = index;
  const { query, isChat } = readWordQuery(index, text, p, tunings);
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

function readWordQuery(
  index: RecallIndex,
  text: string,
  p: Pick<RankRequest, 'now' | 'timeZone'>,
  tunings: RecallTunings,
): { query: Query; isChat: boolean } {
  const { authors, analyzer } = index;
  const isChat = index.averageLength <= tunings.chatLength;
  const today = p.now === undefined ? undefined : todayIn(p.timeZone, p.now);
  return { query: readQuery(text, { analyzer, authors, years: () => index.years(), today, isChat }), isChat };
}

function todayIn(timeZone: string | undefined, now: number): Today {
  if (timeZone === undefined) return { day: dayAt(now) };
  const zone = new ZonedTime(timeZone);
  return { day: dayAt(now + zone.offsetAt(now)), toUtc: (day) => zone.instantOf(day * DAY_MS) / DAY_MS };
}
