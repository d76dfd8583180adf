import type { LlmRequest, LlmResponse } from '@thole/core';
import type { OpenAi } from '../src/index.ts';

/** Sends "Hi", or `request`, and returns all responses of the model. */
export function ask(
  llm: OpenAi,
  p: { stream?: boolean; signal?: AbortSignal; request?: Partial<LlmRequest> } = {},
): Promise<LlmResponse[]> {
  const { stream = false, signal = new AbortController().signal, request } = p;
  const fullRequest = { contents: [{ role: 'user' as const, parts: [{ text: 'Hi' }] }], config: {}, ...request };
  return Array.fromAsync(llm.generateContentAsync(fullRequest, { stream, signal }));
}

/** Returns a `fetch` that always answers with this JSON, and the requests that it received. */
export function fixedFetch(answer: unknown): { fetch: typeof globalThis.fetch; requests: Request[] } {
  const requests: Request[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      return Response.json(answer);
    },
  };
}
