import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse, Part } from '@thole/core';
import { readUsage } from './read-usage.ts';

/**
 * Returns Gemini's name of the finish reason; a reason without a counterpart is returned unchanged. A filter and a
 * refusal are `MODEL_BLOCKED`. The reason of an error, such as Gemini's `MALFORMED_FUNCTION_CALL`, is also the error code
 * if the answer has no content. Throws `MODEL_INCOMPLETE` for an answer that was interrupted or has no reason, because its
 * calls may be incomplete.
 */
export function readFinish(
  finishReason: unknown,
  usage: unknown,
  parts: readonly Part[],
): Pick<LlmResponse, 'finishReason' | 'errorCode' | 'errorMessage'> {
  const { unified, raw } = (isPlainObject(finishReason) ? finishReason : {}) as { unified?: unknown; raw?: unknown };
  const rawReason = typeof raw === 'string' && raw !== '' ? raw : undefined;
  if (unified === 'stop' || unified === 'tool-calls') return { finishReason: 'STOP' };
  if (unified === 'length') return { finishReason: 'MAX_TOKENS' };
  if (unified === 'content-filter') {
    return {
      finishReason: rawReason && /^[A-Z_]+$/.test(rawReason) ? rawReason : 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      errorMessage: rawReason === 'refusal' ? 'The model refused to answer.' : 'A content filter stopped the answer.',
    };
  }
  if (rawReason !== undefined && unified !== 'interrupted') {
    if (unified !== 'error' || parts.some(hasContent)) return { finishReason: rawReason };
    const errorMessage = `The model ended its answer without content (${rawReason}).`;
    return { finishReason: rawReason, errorCode: rawReason, errorMessage };
  }
  // Models of v3 report an answer that ended early as `other` without tokens.
  if (unified === 'other' && readUsage(usage)) return { finishReason: 'OTHER' };
  throw new TholeError('MODEL_INCOMPLETE', 'The answer of the model ended before it was complete.');
}

function hasContent({ text, thought }: Part): boolean {
  return !thought && text !== '';
}
