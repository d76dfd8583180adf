import { TholeError } from '@thole/core';
import type { LlmResponse, Part } from '@thole/core';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/**
 * Yields partial responses with new parts only, then one complete final response. Throws `MODEL_INCOMPLETE` if the
 * stream ends before a finish reason, or, for servers without one, before the token count at the end.
 */
export async function* readChatStream(
  chunks: AsyncIterable<unknown>,
  target: RequestTarget,
): AsyncGenerator<LlmResponse> {
  const answer = new ChatAnswer(target);
  for await (const chunk of chunks) {
    const fresh = answer.addChunk(chunk);
    if (fresh.length > 0) yield partial(fresh);
  }
  if (!answer.isWhole) throw new TholeError('MODEL_INCOMPLETE', 'The stream ended before the answer was complete.');
  const held = answer.end();
  if (held.length > 0) yield partial(held);
  yield answer.final();
}

const partial = (parts: Part[]): LlmResponse => ({ content: { role: 'model', parts }, partial: true });
