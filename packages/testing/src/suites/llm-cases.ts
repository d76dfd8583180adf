import type { Case } from '../case.ts';
import { llmAnswerCases } from './llm-answer-cases.ts';
import { llmEndingCases } from './llm-ending-cases.ts';
import { llmFailureCases } from './llm-failure-cases.ts';
import { llmRequestCases } from './llm-request-cases.ts';
import type { LlmSubject } from './llm-support.ts';

/**
 * The promises of core's `Llm`. Claims: `connections` (the server can tell when a call has ended), `cuts` and
 * `stalls` (the server can break off or fall silent within an answer), `thoughts` (the provider shows the model's
 * thinking), `signatures` (the provider seals its reasoning), `stop-sequences`, `request-model` (`request.model`
 * selects the model), `images` and `answer-images` (the provider accepts images in messages and in tool answers).
 */
export const llmCases: readonly Case<LlmSubject>[] = [
  ...llmAnswerCases,
  ...llmRequestCases,
  ...llmFailureCases,
  ...llmEndingCases,
];
