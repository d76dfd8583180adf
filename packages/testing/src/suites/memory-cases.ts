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

/**
 * The optional methods of a memory service, as claims, and the abilities of services that store and rank turns
 * themselves: `turns` (each ingested turn is an entry with its author, time, session and event), `turn-ranking` (each
 * turn is ranked by itself, not a passage of its session), `deletion-records` (deleted turns are never ingested again)
 * and `evidence` (deleting a fact also deletes its evidence and its other versions).
 */
export const memoryAbilities: readonly string[] = [
  'addEventsToMemory',
  'addMemory',
  'getMemory',
  'findSameMemories',
  'updateMemory',
  'listMemories',
  'deleteMemory',
  'deleteSessionMemory',
  'deleteUserMemory',
  'turns',
  'turn-ranking',
  'deletion-records',
  'evidence',
];

/**
 * The promises of every memory service. Claims:
 *
 * - optional methods and abilities (`memoryAbilities`)
 * - `words`: the service finds entries only by shared words
 * - `cosine`: the service ranks by an embedder's vectors
 * - `shared`: `reopen` creates a second service over the same storage
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
