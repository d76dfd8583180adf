import { TholeError } from '@thole/core';
import type { LlmResponse, Part } from '@thole/core';
import { isLlmResponse } from '../hooks/check-answer.ts';

/** Finish reasons that do not explain an empty answer. */
const ENDED_BY_ITSELF: readonly (string | undefined)[] = [undefined, '', 'STOP', 'OTHER', 'FINISH_REASON_UNSPECIFIED'];

/**
 * Throws `MODEL_PROTOCOL` if a model violates its contract: a wrong shape, a second final response, a response after
 * it, a call in a partial response.
 */
export function assertResponse(response: LlmResponse, final: LlmResponse | undefined, model: string): void {
  if (!isLlmResponse(response))
    throw broken(model, 'gave a response of the wrong shape; it must be {content: {role: "model", parts: [{text}]}}');
  if (final)
    throw broken(model, response.partial ? 'streamed on after its final response' : 'gave two final responses');
  if (response.partial && response.content?.parts?.some(isCall))
    throw broken(model, 'gave a call in a partial response');
}

const isCall = (part: Part): boolean => part.functionCall !== undefined;
const broken = (model: string, what: string): TholeError => new TholeError('MODEL_PROTOCOL', `Model ${model} ${what}.`);

/** Throws `MODEL_INCOMPLETE` without a final response and `MODEL_EMPTY` for one without content and reason. */
export function assertFinal(final: LlmResponse | undefined, model: string): asserts final is LlmResponse {
  if (!final) throw new TholeError('MODEL_INCOMPLETE', `The answer of model ${model} ended before it was complete.`);
  if (final.errorCode || final.content?.parts?.some(saysSomething)) return;
  if (
    !ENDED_BY_ITSELF.includes(final.finishReason) ||
    final.interrupted ||
    final.outputTranscription ||
    final.inputTranscription
  )
    return;
  throw new TholeError('MODEL_EMPTY', `The answer of model ${model} is empty and has no finish reason.`);
}

function saysSomething(part: Part): boolean {
  return part.text !== '' || Object.keys(part).length > 1;
}
