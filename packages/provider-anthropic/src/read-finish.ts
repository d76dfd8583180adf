import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';

/** Gemini's names of finish reasons. Other reasons are returned unchanged. */
const GEMINI_REASONS: { readonly [reason: string]: string } = {
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
  const finishReason = Object.hasOwn(GEMINI_REASONS, reason) ? GEMINI_REASONS[reason]! : reason;
  if (reason !== 'refusal') return { finishReason };
  const { category, explanation } = isPlainObject(details) ? details : {};
  const categoryText = typeof category === 'string' ? ` (${category})` : '';
  const explanationText = typeof explanation === 'string' && explanation !== '' ? `: ${explanation}` : '.';
  return {
    finishReason,
    errorCode: 'MODEL_BLOCKED',
    errorMessage: `Claude refused to answer${categoryText}${explanationText}`,
  };
}
