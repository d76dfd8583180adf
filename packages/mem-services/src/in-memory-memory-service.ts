import { TholeError } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import { StoredMemoryService, substringMemoryRanking, wordRanking } from '@thole/recall';
import type { MemoryRanking, StoredMemoryServiceOptions } from '@thole/recall';
import { assertRanking } from '@thole/recall/kit';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';

/** Options of `InMemoryMemoryService`: those of all memory services, and `match`. */
export interface InMemoryMemoryServiceOptions extends StoredMemoryServiceOptions {
  /**
   * `words` ranks entries by the words that they share with the query. `substring` returns entries that contain the query,
   * ignoring case, newest first. Default: `words`.
   */
  match?: 'words' | 'substring' | undefined;
}

const knownOptions = optionNames<InMemoryMemoryServiceOptions>({
  runtime: true,
  match: true,
  topK: true,
  minScore: true,
  minRelevance: true,
  ranking: true,
  indexBytes: true,
  rerank: true,
});

/** Memory in this process, for tests, trials and short-lived programs. It is lost when the process ends. */
export class InMemoryMemoryService extends StoredMemoryService {
  constructor(options: InMemoryMemoryServiceOptions = {}) {
    rejectUnknownOptions(options, knownOptions, 'InMemoryMemoryService');
    const { match, ...others } = options;
    if (match !== undefined && match !== 'words' && match !== 'substring')
      throw new TholeError('INVALID_INPUT', `match must be 'words' or 'substring'.`);
    if (match !== undefined && options.ranking !== undefined)
      throw new TholeError('INVALID_INPUT', 'Pass either match or ranking to InMemoryMemoryService, not both.');
    if (options.ranking !== undefined) assertRanking(options.ranking);
    const ranking = options.ranking ?? (match === 'substring' ? substringMemoryRanking() : wordRanking());
    // The index is not saved, because the copy would be in the same memory.
    super(new InMemoryMemoryStore(), { ...others, ranking: disableSaving(ranking) });
  }
}

// Does not use a spread, because a ranking may be an instance of a class. A spread does not copy its methods.
function disableSaving(ranking: MemoryRanking): MemoryRanking {
  return { atIngest: ranking.atIngest, createIndex: (scope) => ranking.createIndex(scope) };
}
