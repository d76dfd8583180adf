import type { LlmResponse } from '@thole/core';

/** Finish reasons that mean a block. Other reasons, such as `MALFORMED_FUNCTION_CALL`, are reported unchanged. */
const BLOCK_REASONS: readonly string[] = [
  'SAFETY',
  'RECITATION',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'MODEL_ARMOR',
];

/** Returns the error members for a blocked answer or a blocked prompt. Returns {} if neither is blocked. */
export function toBlockError(p: {
  finishReason: string | undefined;
  finishMessage: string | undefined;
  blockReason: string | undefined;
  blockMessage: string | undefined;
}): Pick<LlmResponse, 'errorCode' | 'errorMessage'> {
  const { finishReason, blockReason } = p;
  if (finishReason === undefined)
    return blockReason === undefined ? {} : blockError(`Gemini blocked the prompt (${blockReason})`, p.blockMessage);
  return BLOCK_REASONS.includes(finishReason)
    ? blockError(`Gemini blocked its answer (${finishReason})`, p.finishMessage)
    : {};
}

function blockError(sentence: string, detail: string | undefined): { errorCode: string; errorMessage: string } {
  return { errorCode: 'MODEL_BLOCKED', errorMessage: detail ? `${sentence}: ${detail}` : `${sentence}.` };
}
