import type { LlmResponse } from '@thole/core';

/** Reasons to end that are blocks. Others, `MALFORMED_FUNCTION_CALL` among them, are told by the reason alone. */
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

/** What a final says of a block: of the answer, or of the prompt where there is no answer; nothing where there is none. */
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
