import type { LlmRequest, LlmResponse, Logger } from '@thole/core';
import type { AiSdkLlm } from '../src/index.ts';

/** Returns all responses of the model to "Hi", or to the request. */
export function ask(
  llm: AiSdkLlm,
  p: { stream?: boolean; signal?: AbortSignal; logger?: Logger; request?: Partial<LlmRequest> } = {},
): Promise<LlmResponse[]> {
  const { stream = false, signal = new AbortController().signal, logger, request } = p;
  const asked = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }], config: {}, ...request };
  return Array.fromAsync(llm.generateContentAsync(asked, { stream, signal, logger }));
}
