import type { MemoryStore } from '@thole/core';
import type { Case } from '../case.ts';
import { memoryStoreNameCases } from './memory-store-name-cases.ts';
import { memoryStorePutCases } from './memory-store-put-cases.ts';
import { memoryStoreReadCases } from './memory-store-read-cases.ts';
import { memoryStoreRemoveCases } from './memory-store-remove-cases.ts';
import { memoryStoreSegmentCases } from './memory-store-segment-cases.ts';

/**
 * What every memory store promises, below the service. Claims: `shared` with a `reopen` that makes a second store over the same
 * storage, `segmented` where it keeps pieces of the derived index, and `users` where it tells whose memory it holds.
 */
export const memoryStoreCases: readonly Case<MemoryStore>[] = [
  ...memoryStorePutCases,
  ...memoryStoreReadCases,
  ...memoryStoreRemoveCases,
  ...memoryStoreNameCases,
  ...memoryStoreSegmentCases,
];
