import type { MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { memoryEntryCases } from './memory-entry-cases.ts';
import { memoryFieldCases } from './memory-field-cases.ts';
import { memoryForgetCases } from './memory-forget-cases.ts';
import { memoryIngestCases } from './memory-ingest-cases.ts';
import { memoryLanguageCases } from './memory-language-cases.ts';
import { memoryScopeCases } from './memory-scope-cases.ts';
import { memoryRankingCases } from './memory-ranking-cases.ts';
import { memorySharedCases } from './memory-shared-cases.ts';
import { memorySearchCases } from './memory-search-cases.ts';

/** The optional methods of a memory service, as claims. */
export const memoryAbilities: readonly string[] = [
  'addEventsToMemory',
  'addMemory',
  'getMemory',
  'updateMemory',
  'listMemories',
  'deleteMemory',
  'deleteSessionMemory',
  'deleteUserMemory',
];

/**
 * What every memory service promises. Claim the optional methods that it has (`memoryAbilities`), `words` where it finds by
 * shared words and nothing else, `cosine` where it ranks by an embedder's vectors, and `shared` with a `reopen` that makes a
 * second service over the same storage.
 */
export const memoryServiceCases: readonly Case<MemoryService>[] = [
  ...memoryIngestCases,
  ...memoryScopeCases,
  ...memoryRankingCases,
  ...memorySearchCases,
  ...memoryLanguageCases,
  ...memoryEntryCases,
  ...memoryFieldCases,
  ...memorySharedCases,
  ...memoryForgetCases,
];
