import { TholeError } from '@thole/core';
import { typeName } from '@thole/core/kit';
import type { LlmResponse, Part } from '@thole/core';
import { isLlmResponse } from '../hooks/check-answer.ts';

/** Finish reasons that do not explain an empty answer. Undefined: the model gave none. */
const UNSPECIFIC_REASONS: readonly (string | undefined)[] = [
  undefined,
  '',
  'STOP',
  'OTHER',
  'FINISH_REASON_UNSPECIFIED',
];

/** Throws `MODEL_PROTOCOL` unless the result of `generateContentAsync` is an async iterable. */
export function assertResponses(responses: unknown, model: string): void {
  if (typeof (responses as Partial<AsyncIterable<unknown>> | undefined)?.[Symbol.asyncIterator] === 'function') return;
  // An async function without `*` may reject later.
  Promise.resolve(responses).catch(() => {});
  const found = typeName(responses);
  throw protocolError(model, `must return an async generator (async *generateContentAsync), got ${found}`);
}

/**
 * Throws `MODEL_PROTOCOL` if a model violates its contract: a wrong shape, a response after the final response, or a call
 * in a partial response.
 */
export function assertResponse(response: LlmResponse, final: LlmResponse | undefined, model: string): void {
  if (!isLlmResponse(response))
    throw protocolError(
      model,
      'returned a response of the wrong shape; it must be {content: {role: "model", parts: [{text}]}}',
    );
  if (final)
    throw protocolError(
      model,
      response.partial ? 'returned a partial response after its final response' : 'returned two final responses',
    );
  if (response.partial && response.content?.parts?.some(isCall))
    throw protocolError(model, 'returned a function call in a partial response');
}

const isCall = (part: Part): boolean => part.functionCall !== undefined;
const protocolError = (model: string, problem: string): TholeError =>
  new TholeError('MODEL_PROTOCOL', `Model ${model} ${problem}.`);

/** Throws `MODEL_INCOMPLETE` without a final response, and `MODEL_EMPTY` for a final response without content. */
export function assertFinal(final: LlmResponse | undefined, model: string): asserts final is LlmResponse {
  if (!final) throw new TholeError('MODEL_INCOMPLETE', `The answer of model ${model} ended before it was complete.`);
  if (final.errorCode || final.content?.parts?.some(hasContent)) return;
  if (
    !UNSPECIFIC_REASONS.includes(final.finishReason) ||
    final.interrupted ||
    final.outputTranscription ||
    final.inputTranscription
  )
    return;
  const reason = final.finishReason ? `its finish reason is ${final.finishReason}` : 'it has no finish reason';
  throw new TholeError('MODEL_EMPTY', `The answer of model ${model} is empty, and ${reason}.`);
}

function hasContent(part: Part): boolean {
  return part.text !== '' || Object.keys(part).length > 1;
}
