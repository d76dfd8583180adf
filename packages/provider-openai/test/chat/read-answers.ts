import type { LlmResponse, Part } from '@thole/core';
import { fromChatResponse } from '../../src/chat/from-chat-response.ts';
import { readChatStream } from '../../src/chat/read-chat-stream.ts';

/** The partials' parts and the final of a stream of these chunks. */
export async function readStream(
  chunks: readonly unknown[],
  provider: string = 'server.example',
): Promise<{ partials: Part[]; final: LlmResponse }> {
  const responses = await Array.fromAsync(readChatStream(each(chunks), { model: 'm-1', provider, stream: true }));
  const final = responses.pop()!;
  return { partials: responses.flatMap(({ content }) => content?.parts ?? []), final };
}

/** The final of a body that was not streamed. */
export function readWhole(body: unknown, provider: string = 'server.example'): LlmResponse {
  return fromChatResponse(body, { model: 'm-1', provider, stream: false });
}

export const textsOf = (parts: readonly Part[] | undefined): string =>
  (parts ?? []).map(({ text = '', thought }) => (thought ? '' : text)).join('');
export const thoughtsOf = (parts: readonly Part[] | undefined): string =>
  (parts ?? []).map(({ text = '', thought }) => (thought ? text : '')).join('');

async function* each(values: readonly unknown[]): AsyncGenerator<unknown> {
  yield* values;
}
