import type { Logger } from '../runtime/runtime.ts';
import type { LlmRequest } from './llm-request.ts';
import type { LlmResponse } from './llm-response.ts';

/**
 * A model. Strangers implement this; it is only ever extended. Answers any number of partials (only what is new, never
 * calls), then exactly one final, last. A refusal, a block and a token limit are finals with `finishReason` (a block also
 * has `errorCode: 'MODEL_BLOCKED'`); everything else throws. Run the `llm` suite of `@thole/testing` over it.
 */
export interface Llm {
  readonly model: string;
  readonly specVersion: 1;
  /** Who runs it, for traces, by OpenTelemetry's names (`gcp.gemini`, `openai`, `azure.ai.openai` …). */
  readonly providerName?: string | undefined;
  /** Aborting the signal must end the call and close its connection. */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterable<LlmResponse>;
}

/** How a model is called, next to what it is asked. */
export interface LlmOptions {
  /** Whether partials are wanted; without, there is the final alone. */
  stream: boolean;
  signal: AbortSignal;
  /** Where the model says what it left out of a request. Default: the logger of the model's own runtime. */
  logger?: Logger | undefined;
}
