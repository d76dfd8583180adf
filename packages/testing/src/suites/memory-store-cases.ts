import type { MemoryStore } from '@thole/core';
import type { Case } from '../case.ts';
import { memoryStoreNameCases } from './memory-store-name-cases.ts';
import { memoryStorePutCases } from './memory-store-put-cases.ts';
import { memoryStoreReadCases } from './memory-store-read-cases.ts';
import { memoryStoreRemoveCases } from './memory-store-remove-cases.ts';
import { memoryStoreSegmentCases } from './memory-store-segment-cases.ts';

/**
 * The promises of every memory store. Claims:
 *
 * - `shared`: `reopen` creates a second store over the same storage
 * - `segmented`: the store saves segments of the derived index
 * - `users`: the store lists its users
 * - `history`: the store returns `previous` and `writeId`
 */
export const memoryStoreCases: readonly Case<MemoryStore>[] = [
  ...memoryStorePutCases,
  ...memoryStoreReadCases,
  ...memoryStoreRemoveCases,
  ...memoryStoreNameCases,
  ...memoryStoreSegmentCases,
];
