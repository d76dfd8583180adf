import type { Llm, LlmResponse, Runtime, Span, SpanAttributes } from '@thole/core';
import type { RequestDraft } from '../request/request-draft.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { inputMessages, outputMessages, systemInstructions, toolDefinitions } from '../traces/gen-ai-messages.ts';
import { tracedRequest, tracedResponse } from '../traces/traced-content.ts';

/** The span of one model call, from the request to the end of the answer. */
export class ModelSpan {
  readonly span: Span;
  readonly #trace: RunTrace;
  readonly #runtime: Runtime;
  readonly #startedAt: number;
  #hasChunk: boolean = false;

  /** `eventId` is the id of the event that will contain the answer. */
  constructor(trace: RunTrace, draft: RequestDraft, p: { model: Llm; eventId: string; stream: boolean }) {
    const { context, request } = draft;
    this.#trace = trace;
    this.#runtime = context.runtime;
    this.#startedAt = this.#runtime.monotonic();
    this.span = trace.begin(`generate_content ${request.model}`, attributesOf(draft, p), context.span);
    trace.setContent(this.span, {
      adk: () => ({ 'gcp.vertex.agent.llm_request': tracedRequest(request) }),
      genAi: () => ({
        'gen_ai.system_instructions': systemInstructions(request),
        'gen_ai.input.messages': inputMessages(request),
        'gen_ai.tool.definitions': toolDefinitions(request),
      }),
    });
  }

  /** Records a streamed response. The final response is ignored after partial ones, because it repeats them. */
  chunk(response: LlmResponse): void {
    if (this.#hasChunk && !response.partial) return;
    if (!this.#hasChunk) {
      this.#hasChunk = true;
      const seconds = (this.#runtime.monotonic() - this.#startedAt) / 1000;
      this.#trace.set(this.span, () => ({ 'gen_ai.response.time_to_first_chunk': seconds }));
    }
    this.#trace.chunk(this.span);
  }

  finish(response: LlmResponse): void {
    this.#trace.set(this.span, () => answerAttributes(response));
    this.#trace.setContent(this.span, {
      adk: () => ({ 'gcp.vertex.agent.llm_response': tracedResponse(response) }),
      genAi: () => ({ 'gen_ai.output.messages': outputMessages(response) }),
    });
    this.#trace.end(this.span);
  }

  /** Ends the span early, with the error if there is one. */
  end(error?: unknown): void {
    this.#trace.end(this.span, error);
  }
}

function attributesOf(
  { agent, request }: RequestDraft,
  p: { model: Llm; eventId: string; stream: boolean },
): SpanAttributes {
  const { config } = request;
  return {
    'gen_ai.operation.name': 'generate_content',
    'gen_ai.provider.name': p.model.providerName,
    'gen_ai.request.model': request.model,
    'gen_ai.request.stream': p.stream || undefined,
    'gen_ai.request.temperature': config.temperature,
    'gen_ai.request.top_p': config.topP,
    'gen_ai.request.top_k': config.topK,
    'gen_ai.request.max_tokens': config.maxOutputTokens,
    'gen_ai.request.stop_sequences': config.stopSequences,
    'gen_ai.request.seed': config.seed,
    'gen_ai.output.type': config.responseJsonSchema ? 'json' : undefined,
    'gen_ai.agent.name': agent.name,
    'gcp.vertex.agent.event_id': p.eventId,
  };
}

function answerAttributes({
  finishReason,
  modelVersion,
  errorCode,
  usageMetadata: usage,
}: LlmResponse): SpanAttributes {
  return {
    'gen_ai.response.model': modelVersion,
    'gen_ai.response.finish_reasons': finishReason ? [finishReason.toLowerCase()] : undefined,
    'gen_ai.usage.input_tokens': sumOf(usage?.promptTokenCount, usage?.toolUsePromptTokenCount),
    'gen_ai.usage.output_tokens': sumOf(usage?.candidatesTokenCount, usage?.thoughtsTokenCount),
    'gen_ai.usage.reasoning.output_tokens': usage?.thoughtsTokenCount,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedContentTokenCount,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheCreationTokenCount,
    'error.type': errorCode,
  };
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
