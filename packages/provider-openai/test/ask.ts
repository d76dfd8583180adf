import type { LlmRequest, LlmResponse } from '@thole/core';
import type { OpenAi } from '../src/index.ts';

/** Everything that the model answers to "Hi". */
export function ask(
  llm: OpenAi,
  p: { stream?: boolean; signal?: AbortSignal; request?: Partial<LlmRequest> } = {},
): Promise<LlmResponse[]> {
  const { stream = false, signal = new AbortController().signal, request } = p;
  const asked = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }], config: {}, ...request };
  return Array.fromAsync(llm.generateContentAsync(asked, { stream, signal }));
}

/** A `fetch` that answers this JSON, and keeps what it was asked. */
export function cannedFetch(answer: unknown): { fetch: typeof globalThis.fetch; asked: Request[] } {
  const asked: Request[] = [];
  return {
    asked,
    fetch: async (input, init) => {
      asked.push(new Request(input, init));
      return Response.json(answer);
    },
  };
}
