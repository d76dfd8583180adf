import type { Logger } from '../runtime/runtime.ts';
import type { LlmRequest } from './llm-request.ts';
import type { LlmResponse } from './llm-response.ts';

/**
 * A model. Others implement this interface, so it only ever gains optional members. It yields any number of partial
 * responses (new text only, never calls) and then exactly one final response. A refusal, a block and a token limit
 * are final responses with `finishReason`; a block also has `errorCode: 'MODEL_BLOCKED'`. Any other failure
 * throws. Run `llmCases` of `@thole/testing` against an implementation.
 */
export interface Llm {
  readonly model: string;
  readonly specVersion: 1;
  /** Name of the operator for traces, as OpenTelemetry names it (`gcp.gemini`, `openai`, `azure.ai.openai` …). */
  readonly providerName?: string | undefined;
  /** Calls the model. Aborting the signal must end the call and close its connection. */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterable<LlmResponse>;
}

/** Options of one model call. */
export interface LlmOptions {
  /** True to receive partial responses before the final response. */
  stream: boolean;
  signal: AbortSignal;
  /** Logger for request settings that the model left out. Default: the logger of the model's own runtime. */
  logger?: Logger | undefined;
}
