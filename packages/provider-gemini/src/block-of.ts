import type { LlmResponse } from '@thole/core';

/** Finish reasons that mean a block. Other reasons, such as `MALFORMED_FUNCTION_CALL`, are reported unchanged. */
const BLOCKS: readonly string[] = [
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

/** Returns the error members for a blocked answer or a blocked prompt. Empty without a block. */
export function blockOf(p: {
  finishReason: string | undefined;
  finishMessage: string | undefined;
  blockReason: string | undefined;
  blockMessage: string | undefined;
}): Pick<LlmResponse, 'errorCode' | 'errorMessage'> {
  const { finishReason, blockReason } = p;
  if (finishReason === undefined)
    return blockReason === undefined ? {} : blocked(`Gemini blocked the prompt (${blockReason})`, p.blockMessage);
  return BLOCKS.includes(finishReason) ? blocked(`Gemini blocked its answer (${finishReason})`, p.finishMessage) : {};
}

function blocked(sentence: string, more: string | undefined): { errorCode: string; errorMessage: string } {
  return { errorCode: 'MODEL_BLOCKED', errorMessage: more ? `${sentence}: ${more}` : `${sentence}.` };
}
