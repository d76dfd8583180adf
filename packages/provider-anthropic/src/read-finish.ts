import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';

/** Finish reasons with Gemini's names. Others are passed on unchanged. */
const REASONS: { readonly [reason: string]: string } = {
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  model_context_window_exceeded: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

/** Returns the finish reason of a message, and the error members of a refusal. */
export function readFinish(message: JsonObject): Pick<LlmResponse, 'finishReason' | 'errorCode' | 'errorMessage'> {
  const { stop_reason: reason, stop_details: details } = message;
  if (typeof reason !== 'string') return {};
  const finishReason = Object.hasOwn(REASONS, reason) ? REASONS[reason]! : reason;
  if (reason !== 'refusal') return { finishReason };
  const { category, explanation } = isPlainObject(details) ? details : {};
  const why = typeof category === 'string' ? ` (${category})` : '';
  const more = typeof explanation === 'string' && explanation !== '' ? `: ${explanation}` : '.';
  return { finishReason, errorCode: 'MODEL_BLOCKED', errorMessage: `Claude refused to answer${why}${more}` };
}
