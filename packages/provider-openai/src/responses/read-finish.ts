import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { findBlockReason } from './find-block-reason.ts';

/**
 * Returns Gemini's name of the finish reason; a reason without a counterpart is returned unchanged. A refusal and a
 * filter are `MODEL_BLOCKED`. Throws `MODEL_INCOMPLETE` for an answer in progress or with an unknown status and no output.
 */
export function readFinish(
  answer: { readonly [member: string]: unknown },
  isRefused: boolean,
): Pick<LlmResponse, 'finishReason' | 'errorCode' | 'errorMessage'> {
  const { status = 'completed', incomplete_details: details } = answer;
  const blockReason = findBlockReason(answer);
  if (blockReason !== undefined) return toBlocked(blockReason);
  if (isRefused) return toBlocked('The model refused to answer.');
  if (status === 'completed' || status === null) return { finishReason: 'STOP' };
  if (status !== 'incomplete') {
    const hasOutput = Array.isArray(answer['output']) && answer['output'].length > 0;
    if (hasOutput && typeof status === 'string' && !UNFINISHED.includes(status)) return { finishReason: status };
    throw new TholeError('MODEL_INCOMPLETE', `OpenAI’s answer is incomplete: its status is ${JSON.stringify(status)}.`);
  }
  const reason = isPlainObject(details) ? details['reason'] : undefined;
  if (reason === 'max_output_tokens' || reason === 'max_tokens') return { finishReason: 'MAX_TOKENS' };
  if (reason === 'content_filter') return toBlocked('A content filter stopped the answer.');
  return { finishReason: typeof reason === 'string' ? reason : 'incomplete' };
}

const UNFINISHED: readonly string[] = ['queued', 'in_progress'];

const toBlocked = (errorMessage: string): ReturnType<typeof readFinish> => ({
  finishReason: 'SAFETY',
  errorCode: 'MODEL_BLOCKED',
  errorMessage,
});
