import { refuseUnknown, TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { StoredMemoryService, substringMemoryRanking, wordRanking } from '@thole/recall';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';

/** What an `InMemoryMemoryService` may be told. */
export interface InMemoryMemoryServiceOptions {
  runtime?: Runtime | undefined;
  /** `words` (the default): ranked by the words that are shared. `substring`: entries that hold the whole query, in any case, newest first. */
  match?: 'words' | 'substring' | undefined;
  /** Answers of a search that names no limit (10). */
  topK?: number | undefined;
}

/** Memory in this process: for tests, trials and short-lived programs. Nothing outlives the process. */
export class InMemoryMemoryService extends StoredMemoryService {
  constructor(options: InMemoryMemoryServiceOptions = {}) {
    refuseUnknown(options, ['runtime', 'match', 'topK'], 'InMemoryMemoryService');
    const { runtime, match = 'words', topK } = options;
    if (match !== 'words' && match !== 'substring')
      throw new TholeError('INVALID_INPUT', `match must be 'words' or 'substring'.`);
    const ranking = match === 'substring' ? substringMemoryRanking() : wordRanking();
    // An index that is saved beside the entries, in the same memory, would be held twice.
    super(new InMemoryMemoryStore(), { runtime, topK, ranking: { ...ranking, savedAs: undefined } });
  }
}
