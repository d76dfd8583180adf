import type { LlmRequest } from './llm-request.ts';

/** Adds a paragraph to the system instruction of a request. An empty text changes nothing. */
export function appendInstruction({ config }: LlmRequest, text: string): void {
  if (text === '') return;
  config.systemInstruction = config.systemInstruction ? `${config.systemInstruction}\n\n${text}` : text;
}
