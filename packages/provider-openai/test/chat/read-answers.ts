import type { LlmResponse, Part } from '@thole/core';
import { fromChatResponse } from '../../src/chat/from-chat-response.ts';
import { readChatStream } from '../../src/chat/read-chat-stream.ts';

/**
 * Reads a stream of these chunks, which ends with `error` if it is given. Returns the parts of the partial responses, and the
 * final response.
 */
export async function readStream(
  chunks: readonly unknown[],
  options: string | { provider?: string; error?: Error } = {},
): Promise<{ partials: Part[]; final: LlmResponse }> {
  const { provider = 'server.example', error }: { provider?: string; error?: Error } =
    typeof options === 'string' ? { provider: options } : options;
  const target = { model: 'm-1', provider, stream: true };
  const responses = await Array.fromAsync(readChatStream(toStream(chunks, error), target));
  const final = responses.pop()!;
  return { partials: responses.flatMap(({ content }) => content?.parts ?? []), final };
}

/** Returns the final response of a body that was not streamed. */
export function readWhole(body: unknown, provider: string = 'server.example'): LlmResponse {
  return fromChatResponse(body, { model: 'm-1', provider, stream: false });
}

export const textsOf = (parts: readonly Part[] | undefined): string =>
  (parts ?? []).map(({ text = '', thought }) => (thought ? '' : text)).join('');
export const thoughtsOf = (parts: readonly Part[] | undefined): string =>
  (parts ?? []).map(({ text = '', thought }) => (thought ? text : '')).join('');

async function* toStream(values: readonly unknown[], error?: Error): AsyncGenerator<unknown> {
  yield* values;
  if (error) throw error;
}
