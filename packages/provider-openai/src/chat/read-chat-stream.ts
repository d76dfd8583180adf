import { TholeError } from '@thole/core';
import type { LlmResponse, Part } from '@thole/core';
import { mapOpenAiError } from '../map-openai-error.ts';
import type { RequestTarget } from '../openai-options.ts';
import { ChatAnswer } from './chat-answer.ts';

/**
 * Yields partial responses with new parts only, then one complete final response, also if the server reports a block
 * within the stream. Throws `MODEL_INCOMPLETE` if the stream ends before the finish reason, or before the final token
 * count of a server that sends no finish reason.
 */
export async function* readChatStream(
  chunks: AsyncIterable<unknown>,
  target: RequestTarget,
): AsyncGenerator<LlmResponse> {
  const answer = new ChatAnswer(target);
  try {
    for await (const chunk of chunks) {
      const newParts = answer.addChunk(chunk);
      if (newParts.length > 0) yield partial(newParts);
    }
  } catch (error) {
    const { code, message } = mapOpenAiError(error, 'reading', target.provider);
    if (code === 'MODEL_BLOCKED') answer.block(message);
    // After the finish reason, a broken or silent connection cuts off at most the token count.
    else if (!answer.hasFinishReason || !isCutOff(code, error)) throw error;
  }
  if (!answer.isComplete) throw new TholeError('MODEL_INCOMPLETE', 'The stream ended before the answer was complete.');
  const remaining = answer.end();
  if (remaining.length > 0) yield partial(remaining);
  yield answer.toResponse();
}

const isCutOff = (code: string, error: unknown): boolean =>
  code === 'MODEL_TIMEOUT' || (code === 'MODEL_INCOMPLETE' && !TholeError.is(error));

const partial = (parts: Part[]): LlmResponse => ({ content: { role: 'model', parts }, partial: true });
