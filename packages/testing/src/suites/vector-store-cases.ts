import type { VectorStore } from '@thole/core';
import type { Case } from '../case.ts';
import { vectorBasicCases } from './vector-basic-cases.ts';
import { vectorInputCases } from './vector-input-cases.ts';
import { vectorScopeCases } from './vector-scope-cases.ts';

/**
 * The promises of every vector store. Claims: `has` for a store with that method, and `shared` (requires a `reopen`
 * that creates a second store over the same storage).
 */
export const vectorStoreCases: readonly Case<VectorStore>[] = [
  ...vectorBasicCases,
  ...vectorScopeCases,
  ...vectorInputCases,
];
