import type { FunctionCall, Llm, LlmOptions, LlmRequest, LlmResponse, Runtime } from '@thole/core';
import { nextStep } from './next-step.ts';
import { readTurn } from './read-turn.ts';

/** Options of `DemoLlm`. */
export interface DemoLlmOptions {
  runtime: Runtime;
  /** Pause after each streamed word in milliseconds. Default: 0. */
  wordDelayMs?: number | undefined;
}

/**
 * A rule-based model that needs no network. It reads the request, calls the declared tools and answers from their
 * results. It knows the guest's preferences only from `load_memory`, from quoted memories, and from the current
 * conversation.
 */
export class DemoLlm implements Llm {
  readonly model = 'demo';
  readonly specVersion = 1;
  readonly #runtime: Runtime;
  readonly #wordDelayMs: number;

  constructor(options: DemoLlmOptions) {
    this.#runtime = options.runtime;
    this.#wordDelayMs = options.wordDelayMs ?? 0;
  }

  async *generateContentAsync(
    request: LlmRequest,
    { stream, signal }: LlmOptions,
  ): AsyncGenerator<LlmResponse, void, void> {
    signal.throwIfAborted();
    const step = nextStep(readTurn(request));
    if ('call' in step) {
      yield toCallResponse(step.call);
      return;
    }
    if (stream) {
      for (const word of step.say.match(/\s*\S+/gu) ?? []) {
        signal.throwIfAborted();
        yield { ...toTextResponse(word), partial: true };
        if (this.#wordDelayMs > 0) await this.#runtime.sleep(this.#wordDelayMs, signal);
      }
    }
    yield { ...toTextResponse(step.say), finishReason: 'STOP' };
  }
}

function toTextResponse(text: string): LlmResponse {
  return { content: { role: 'model', parts: [{ text }] } };
}

function toCallResponse(functionCall: FunctionCall): LlmResponse {
  return { content: { role: 'model', parts: [{ functionCall }] }, finishReason: 'STOP' };
}
