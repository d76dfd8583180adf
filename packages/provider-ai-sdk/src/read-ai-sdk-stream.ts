import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { AnswerDraft } from './answer-draft.ts';
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
    const { delta } = part;
    switch (part['type']) {
      case 'text-start':
        draft.startPassage('text', part);
        break;
      case 'text-delta':
        draft.addText('text', part);
        if (isText(delta)) yield partial({ text: delta });
        break;
      case 'text-end':
        draft.endPassage('text', part);
        break;
      case 'reasoning-start':
        draft.startPassage('reasoning', part);
        break;
      case 'reasoning-delta':
        draft.addText('reasoning', part);
        if (isText(delta)) yield partial({ text: delta, thought: true });
        break;
      case 'reasoning-end':
        draft.endPassage('reasoning', part);
        break;
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

const isText = (delta: unknown): delta is string => typeof delta === 'string' && delta !== '';

function partial(part: { text: string; thought?: boolean }): LlmResponse {
  return { content: { role: 'model', parts: [part] }, partial: true };
}
