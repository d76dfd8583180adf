import type { VectorStore } from '@thole/core';
import type { Case } from '../case.ts';
import { vectorBasicCases } from './vector-basic-cases.ts';
import { vectorInputCases } from './vector-input-cases.ts';
import { vectorScopeCases } from './vector-scope-cases.ts';

/**
 * What every vector store promises. Claim `has` where it has the optional method of that name, and `shared` with a `reopen` that
 * makes a second store over the same storage.
 */
export const vectorStoreCases: readonly Case<VectorStore>[] = [
  ...vectorBasicCases,
  ...vectorScopeCases,
  ...vectorInputCases,
];
