import type { LlmResponse, Part } from '@thole/core';

/** Finish reasons that mean a block. */
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

/** Finish reasons that are not errors, or that do not explain why an answer is empty. */
const OTHER_REASONS: readonly string[] = ['STOP', 'MAX_TOKENS', 'CONTINUATION', 'OTHER', 'FINISH_REASON_UNSPECIFIED'];

/**
 * Returns the error members for a blocked prompt, a blocked answer, and an answer without content whose finish reason is
 * an error, such as `MALFORMED_FUNCTION_CALL`: this reason is the error code, as in ADK. Returns {} for other answers.
 */
export function toAnswerError(p: {
  parts: readonly Part[];
  finishReason: string | undefined;
  finishMessage: string | undefined;
  blockReason: string | undefined;
  blockMessage: string | undefined;
}): Pick<LlmResponse, 'errorCode' | 'errorMessage'> {
  const { finishReason, blockReason } = p;
  if (finishReason === undefined)
    return blockReason === undefined ? {} : blockError(`Gemini blocked the prompt (${blockReason})`, p.blockMessage);
  if (BLOCK_REASONS.includes(finishReason))
    return blockError(`Gemini blocked its answer (${finishReason})`, p.finishMessage);
  if (OTHER_REASONS.includes(finishReason) || p.parts.some(hasContent)) return {};
  // Gemini's message is left out: it contains the arguments of a malformed call.
  return { errorCode: finishReason, errorMessage: `Gemini ended its answer without content (${finishReason}).` };
}

function hasContent({ text, thought }: Part): boolean {
  return !thought && text !== '';
}

function blockError(sentence: string, detail: string | undefined): { errorCode: string; errorMessage: string } {
  return { errorCode: 'MODEL_BLOCKED', errorMessage: detail ? `${sentence}: ${detail}` : `${sentence}.` };
}
