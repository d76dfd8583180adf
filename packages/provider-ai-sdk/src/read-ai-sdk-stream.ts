import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { AnswerDraft } from './answer-draft.ts';
import type { PassageStep, PassageType } from './answer-draft.ts';
import { toFinalResponse } from './from-ai-sdk-response.ts';

/**
 * Yields the responses of a streamed answer: partial responses with new text only, then the final response, equal to
 * that of `fromAiSdkResponse`. Unknown parts are ignored. Throws the error of an `error` part, unless it reports a block,
 * and `MODEL_INCOMPLETE` for a stream without an end. `onWarnings` is called with the warnings at the start.
 */
export async function* readAiSdkStream(
  stream: AsyncIterable<unknown>,
  endpoint: Endpoint,
  p: { onWarnings: (warnings: unknown) => void; explain: (error: unknown) => TholeError },
): AsyncGenerator<LlmResponse> {
  const draft = new AnswerDraft();
  let response: object = {};
  for await (const part of stream) {
    if (!isPlainObject(part)) continue;
    const [, passage, step] = /^(text|reasoning)-(start|delta|end)$/.exec(String(part['type'])) ?? [];
    if (passage !== undefined) {
      draft.addStep(passage as PassageType, step as PassageStep, part);
      const { delta } = part;
      if (step === 'delta' && typeof delta === 'string' && delta !== '') yield partial(passage, delta);
      continue;
    }
    switch (part['type']) {
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'source':
      case 'custom':
        draft.add(part);
        break;
      case 'stream-start':
        p.onWarnings(part['warnings']);
        break;
      case 'response-metadata':
        response = { ...response, ...part };
        break;
      case 'error': {
        const { code, message } = p.explain(part['error']);
        if (code !== 'MODEL_BLOCKED') throw part['error'];
        const end = { finishReason: { unified: 'content-filter' }, response };
        return yield { ...toFinalResponse(draft, end, endpoint), errorMessage: message };
      }
      case 'finish':
        return yield toFinalResponse(draft, { ...part, response }, endpoint);
    }
  }
  throw new TholeError('MODEL_INCOMPLETE', 'The stream of the model ended before the answer was complete.');
}

function partial(passage: string, text: string): LlmResponse {
  const part = passage === 'reasoning' ? { text, thought: true } : { text };
  return { content: { role: 'model', parts: [part] }, partial: true };
}
