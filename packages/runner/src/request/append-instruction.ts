import type { LlmRequest } from '@thole/core';

/** Adds a paragraph to the system instruction. */
export function appendInstruction({ config }: LlmRequest, text: string): void {
  if (text === '') return;
  config.systemInstruction = config.systemInstruction ? `${config.systemInstruction}\n\n${text}` : text;
}
