import type { LlmRequest, LlmResponse, Logger } from '@thole/core';
import type { AiSdkLlm } from '../src/index.ts';

/** Sends "Hi", or `request`, and returns all responses of the model. */
export function ask(
  llm: AiSdkLlm,
  p: { stream?: boolean; signal?: AbortSignal; logger?: Logger; request?: Partial<LlmRequest> } = {},
): Promise<LlmResponse[]> {
  const { stream = false, signal = new AbortController().signal, logger, request } = p;
  const fullRequest = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }], config: {}, ...request };
  return Array.fromAsync(llm.generateContentAsync(fullRequest, { stream, signal, logger }));
}
