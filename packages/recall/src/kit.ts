// Helpers that the packages of this repository share. They promise nothing to other packages: any release may change them.
export { findSameStatements } from './service/find-same-statements.ts';
export { turnsOf } from './service/turns-of.ts';
export {
  assertEvents,
  assertFilter,
  assertIds,
  assertMembers,
  assertSearch,
  assertText,
  copyEntry,
} from './service/assert-memory.ts';
export { filterByMinScore } from './service/filter-by-min-score.ts';
export { hasExpired } from './service/matches-filter.ts';
export { assertRanking, splitMemoryOptions } from './service/memory-service-options.ts';
export { newEntriesOf } from './service/new-entries.ts';
export { seqOfCursor } from './service/seq-of-cursor.ts';
export { thawEntry } from './service/thaw-entry.ts';
export { assertEmbedder } from './vectors/assert-embedder.ts';
export { dimensionMismatch } from './vectors/check-vectors.ts';
export { VectorMemoryRanking } from './vectors/vector-memory-ranking.ts';
export { VectorRemovingStore } from './vectors/vector-removing-store.ts';
