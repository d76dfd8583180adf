import { TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import { StoredMemoryService, substringMemoryRanking, wordRanking } from '@thole/recall';
import type { MemoryRanking, StoredMemoryServiceOptions } from '@thole/recall';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';

/** Options of `InMemoryMemoryService`: those of all memory services, and `match`. */
export interface InMemoryMemoryServiceOptions extends StoredMemoryServiceOptions {
  /** `words` (the default): ranked by the words that are shared. `substring`: entries that hold the whole query, in any case, newest first. */
  match?: 'words' | 'substring' | undefined;
}

const names: readonly (keyof InMemoryMemoryServiceOptions)[] = [
  'runtime',
  'match',
  'topK',
  'minScore',
  'minRelevance',
  'ranking',
  'indexBytes',
  'rerank',
];

/** Memory in this process: for tests, trials and short-lived programs. Nothing outlives the process. */
export class InMemoryMemoryService extends StoredMemoryService {
  constructor(options: InMemoryMemoryServiceOptions = {}) {
    rejectUnknownOptions(options, names, 'InMemoryMemoryService');
    const { match, ...others } = options;
    if (match !== undefined && match !== 'words' && match !== 'substring')
      throw new TholeError('INVALID_INPUT', `match must be 'words' or 'substring'.`);
    if (match !== undefined && options.ranking !== undefined)
      throw new TholeError('INVALID_INPUT', 'InMemoryMemoryService takes either match or ranking.');
    const ranking = options.ranking ?? (match === 'substring' ? substringMemoryRanking() : wordRanking());
    // An index that is saved beside the entries, in the same memory, would be held twice.
    super(new InMemoryMemoryStore(), { ...others, ranking: withoutSaving(ranking) });
  }
}

// A ranking may be an object of a class, whose methods are not copied by a spread.
function withoutSaving(ranking: MemoryRanking): MemoryRanking {
  return { atIngest: ranking.atIngest, createIndex: (scope) => ranking.createIndex(scope) };
}
