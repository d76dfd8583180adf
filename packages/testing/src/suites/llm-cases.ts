import type { Case } from '../case.ts';
import { llmAnswerCases } from './llm-answer-cases.ts';
import { llmEndingCases } from './llm-ending-cases.ts';
import { llmFailureCases } from './llm-failure-cases.ts';
import { llmRequestCases } from './llm-request-cases.ts';
import type { LlmSubject } from './llm-support.ts';

/**
 * The promises of core's `Llm`. Claims:
 *
 * - `connections`: the server knows when a call has ended
 * - `cuts`: the server can break the connection within an answer
 * - `stalls`: the server can stop sending within an answer
 * - `thoughts`: the provider returns the model's thoughts
 * - `signatures`: the provider signs or encrypts its reasoning
 * - `stop-sequences`: the provider accepts stop sequences
 * - `request-model`: `request.model` selects the model
 * - `images`, `answer-images`: the provider accepts images in messages, and in tool answers
 * - `refuses-media`: the model rejects attachments of some types
 */
export const llmCases: readonly Case<LlmSubject>[] = [
  ...llmAnswerCases,
  ...llmRequestCases,
  ...llmFailureCases,
  ...llmEndingCases,
];
