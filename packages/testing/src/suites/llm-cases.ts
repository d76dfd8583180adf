import type { Case } from '../case.ts';
import { llmAnswerCases } from './llm-answer-cases.ts';
import { llmEndingCases } from './llm-ending-cases.ts';
import { llmFailureCases } from './llm-failure-cases.ts';
import type { LlmSubject } from './llm-support.ts';

/**
 * The promises of core's `Llm`. Claims: `connections` (the other side can tell when a call has ended), `cuts` and `stalls`
 * (it can break off, or fall silent, in the middle of an answer), `thoughts` (the provider shows the model's thinking).
 */
export const llmCases: readonly Case<LlmSubject>[] = [...llmAnswerCases, ...llmFailureCases, ...llmEndingCases];
