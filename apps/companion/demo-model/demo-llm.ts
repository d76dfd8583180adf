import type { Llm, LlmOptions, LlmRequest, LlmResponse, Part } from '@thole/core';
import { nextStep } from './next-step.ts';
import { readTurn } from './read-turn.ts';

/** A rule-based model for English that needs no network. It calls the declared tools and answers from their results. */
export class DemoLlm implements Llm {
  readonly model = 'demo';
  readonly specVersion = 1;

  async *generateContentAsync(request: LlmRequest, { signal }: LlmOptions): AsyncGenerator<LlmResponse, void, void> {
    signal.throwIfAborted();
    const step = nextStep(readTurn(request));
    const part: Part = 'call' in step ? { functionCall: step.call } : { text: step.say };
    yield { content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
  }
}
