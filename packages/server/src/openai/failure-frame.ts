import { errorCodeInfo } from '@thole/core';
import type { RunFailure } from '../front-ends/event-encoder.ts';
import { openAiErrorBody } from './open-ai-error.ts';

/** Returns the last frame of a Chat Completions stream whose run has failed. OpenAI's clients throw it as an error. */
export function failureFrame({ code, message }: RunFailure): string {
  const status = code === 'INTERNAL' ? 500 : errorCodeInfo(code).status;
  return `data: ${JSON.stringify(openAiErrorBody({ status, code, message }))}\n\n`;
}
