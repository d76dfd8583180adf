import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { fromOpenAiResponse } from './from-openai-response.ts';
import { openAiFailure } from './map-openai-error.ts';
import type { RequestTarget } from './openai-options.ts';
import { findBlockReason } from './responses/find-block-reason.ts';
import { isThought, OutputDraft } from './responses/output-draft.ts';
import type { StreamEvent, TextPlace } from './responses/output-draft.ts';

/**
 * Yields the responses of a streamed answer of the Responses API: partial responses with new parts only, then the
 * final response, equal to that of `fromOpenAiResponse`. Unknown events are ignored. Throws the error of
 * `openAiFailure` for an error in the stream, and `MODEL_INCOMPLETE` if the stream ends early.
 */
export async function* readOpenAiStream(
  events: AsyncIterable<unknown>,
  target: RequestTarget,
): AsyncGenerator<LlmResponse> {
  const draft = new OutputDraft();
  let created: StreamEvent = {};
  const toFinal = (event: StreamEvent): LlmResponse =>
    fromOpenAiResponse(completeAnswer(event, created, draft), target);
  const toBlocked = (error: unknown): LlmResponse => toFinal({ type: 'response.failed', error });
  try {
    for await (const event of events) {
      if (!isEvent(event)) continue;
      const place = textPlaces.get(event['type']);
      const { delta } = event;
      if (place) {
        if (typeof delta !== 'string' || delta === '') continue;
        draft.addText(event, place, delta);
        yield isThought(place) ? partial({ text: delta, thought: true }) : partial({ text: delta });
        continue;
      }
      switch (event['type']) {
        case 'response.created':
          if (isPlainObject(event['response'])) created = event['response'];
          break;
        case 'response.output_item.added':
          draft.beginItem(event);
          break;
        case 'response.output_item.done':
          draft.endItem(event);
          break;
        case 'response.function_call_arguments.delta':
          draft.addArgs(event);
          break;
        case 'response.function_call_arguments.done':
          draft.endArgs(event);
          break;
        case 'error':
          if (findBlockReason(event) === undefined) throw openAiFailure(event);
          return yield toBlocked(event);
        case 'response.failed':
        case 'response.completed':
        case 'response.incomplete':
          return yield toFinal(event);
      }
    }
  } catch (thrown) {
    // The SDK throws error events, but a block is reported as a final response.
    const error = (thrown as { error?: unknown }).error;
    if (!isPlainObject(error) || findBlockReason(error) === undefined) throw thrown;
    return yield toBlocked(error);
  }
  throw new TholeError('MODEL_INCOMPLETE', 'OpenAI’s stream ended before the answer was complete.');
}

const textPlaces: ReadonlyMap<unknown, TextPlace> = new Map([
  ['response.output_text.delta', { list: 'content', type: 'output_text' }],
  ['response.refusal.delta', { list: 'content', type: 'refusal' }],
  ['response.reasoning_summary_text.delta', { list: 'summary', type: 'summary_text' }],
  ['response.reasoning_text.delta', { list: 'content', type: 'reasoning_text' }],
]);

const isEvent = (event: unknown): event is StreamEvent => typeof event === 'object' && event !== null;

function partial(part: { text: string; thought?: boolean }): LlmResponse {
  return { content: { role: 'model', parts: [part] }, partial: true };
}

/** Returns the answer of the last event, with the missing members from earlier events. */
function completeAnswer(event: StreamEvent, created: StreamEvent, draft: OutputDraft): StreamEvent {
  const response = isPlainObject(event['response']) ? event['response'] : errorIn(event);
  const { output } = response;
  const hasFinalStatus = ['completed', 'incomplete', 'failed'].includes(response['status'] as string);
  const status = String(event['type']).replace('response.', '');
  return {
    ...(created['id'] !== undefined && { id: created['id'] }),
    ...(created['model'] !== undefined && { model: created['model'] }),
    ...response,
    ...(!hasFinalStatus && { status }),
    output: Array.isArray(output) && output.length > 0 ? output : draft.items(),
  };
}

/** Returns the error of an event, which may be nested twice. Empty without an error. */
function errorIn({ error }: StreamEvent): StreamEvent {
  if (error === undefined) return {};
  return { error: isPlainObject(error) && isPlainObject(error['error']) ? error['error'] : error };
}
