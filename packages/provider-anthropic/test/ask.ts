import type { Llm, LlmRequest, LlmResponse, Logger } from '@thole/core';

/** A request with one message. */
export const hello: LlmRequest = { contents: [{ role: 'user', parts: [{ text: 'Is there a room?' }] }], config: {} };

/** Calls a model and returns its responses. The last one is the final response. */
export async function ask(
  llm: Llm,
  request: LlmRequest = hello,
  p: { stream?: boolean; signal?: AbortSignal; logger?: Logger } = {},
): Promise<LlmResponse[]> {
  const { stream = false, signal = new AbortController().signal, logger } = p;
  return await Array.fromAsync(llm.generateContentAsync(request, { stream, signal, logger }));
}

/** Calls a model and returns its final response. */
export async function askFinal(
  llm: Llm,
  request?: LlmRequest,
  p?: { stream?: boolean; logger?: Logger },
): Promise<LlmResponse> {
  return (await ask(llm, request, p)).at(-1)!;
}
