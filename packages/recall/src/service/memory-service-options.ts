import { systemRuntime } from '@thole/core';
import { assertBytes, assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { assertRelevance, assertScore } from './assert-memory.ts';
import type { MemoryRanking } from './memory-index.ts';
import type { Rerank } from './rerank.ts';

/** Options that all memory services have. */
export interface StoredMemoryServiceOptions {
  /** Clock, ids and logs. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
  /** Maximum number of results of searches without a `limit`. Default: 10. */
  topK?: number | undefined;
  /** Minimum score of results of searches without a `minScore`. Default: none. */
  minScore?: number | undefined;
  /** Minimum relevance, from 0 to 1, of results of searches without a `minRelevance`. Default: 0. */
  minRelevance?: number | undefined;
  /** The ranking of entries. Default: `wordRanking()`. */
  ranking?: MemoryRanking | undefined;
  /** Approximate maximum size of all derived indexes in bytes. The least recently used are evicted. Default: 64 MiB. */
  indexBytes?: number | undefined;
  /** Reorders the results of each search, for example with a model. Default: the order of the ranking. */
  rerank?: Rerank | undefined;
}

const memoryServiceOptionNames = optionNames<StoredMemoryServiceOptions>({
  runtime: true,
  topK: true,
  minScore: true,
  minRelevance: true,
  ranking: true,
  indexBytes: true,
  rerank: true,
});

/** Throws `INVALID_INPUT` for unknown or invalid options of a memory service. */
export function assertMemoryServiceOptions(options: StoredMemoryServiceOptions): void {
  rejectUnknownOptions(options, memoryServiceOptionNames, 'A memory service');
  const { topK, minScore, minRelevance, ranking, indexBytes, rerank } = options;
  if (topK !== undefined) assertCount('topK', topK, 1);
  if (minScore !== undefined) assertScore(minScore);
  if (minRelevance !== undefined) assertRelevance(minRelevance);
  if (ranking !== undefined) assertRanking(ranking);
  if (indexBytes !== undefined) assertBytes('indexBytes', indexBytes);
  if (rerank !== undefined && typeof rerank !== 'function') throw invalidInput('rerank', 'a function', rerank);
}

/**
 * Splits the options of a memory service into those of its store, by name, and those of `StoredMemoryService`. Both have the
 * `runtime`. The service receives unknown options and rejects them.
 */
export function splitMemoryOptions<Options extends StoredMemoryServiceOptions>(
  options: Options,
  storeOptionNames: readonly string[],
): { runtime: Runtime; storeOptions: Options; serviceOptions: StoredMemoryServiceOptions } {
  const runtime = options.runtime ?? systemRuntime();
  const entries = Object.entries(options);
  const isStoreOption = ([name]: [string, unknown]): boolean => storeOptionNames.includes(name);
  const storeOptions = Object.fromEntries(entries.filter(isStoreOption)) as Options;
  const serviceOptions = Object.fromEntries(entries.filter((each) => !isStoreOption(each)));
  return { runtime, storeOptions: { ...storeOptions, runtime }, serviceOptions: { ...serviceOptions, runtime } };
}

/** Throws `INVALID_INPUT` unless the value is a ranking. */
export function assertRanking(value: MemoryRanking): void {
  if (typeof value?.createIndex !== 'function') throw invalidInput('ranking', 'a MemoryRanking', value);
}
