import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import { blockedBecause } from './blocked-because.ts';

/**
 * Returns why an answer ended, in Gemini's words; a reason without a counterpart unchanged. A refusal and a filter
 * are `MODEL_BLOCKED`. Throws `MODEL_INCOMPLETE` for an answer in progress or with an unknown status and no output.
 */
export function readFinish(
  answer: { readonly [member: string]: unknown },
  isRefused: boolean,
): Pick<LlmResponse, 'finishReason' | 'errorCode' | 'errorMessage'> {
  const { status = 'completed', incomplete_details: details } = answer;
  const because = blockedBecause(answer);
  if (because !== undefined) return blocked(because);
  if (isRefused) return blocked('The model refused to answer.');
  if (status === 'completed' || status === null) return { finishReason: 'STOP' };
  const isMade = Array.isArray(answer['output']) && answer['output'].length > 0;
  if (status !== 'incomplete' && isMade && typeof status === 'string' && !UNFINISHED.includes(status))
    return { finishReason: status };
  if (status !== 'incomplete') {
    throw new TholeError('MODEL_INCOMPLETE', `OpenAI’s answer is incomplete: its status is ${JSON.stringify(status)}.`);
  }
  const reason = isPlainObject(details) ? details['reason'] : undefined;
  if (reason === 'max_output_tokens' || reason === 'max_tokens') return { finishReason: 'MAX_TOKENS' };
  if (reason === 'content_filter') return blocked('A content filter stopped the answer.');
  return { finishReason: typeof reason === 'string' ? reason : 'incomplete' };
}

const UNFINISHED: readonly string[] = ['queued', 'in_progress'];

const blocked = (errorMessage: string): ReturnType<typeof readFinish> => ({
  finishReason: 'SAFETY',
  errorCode: 'MODEL_BLOCKED',
  errorMessage,
});
