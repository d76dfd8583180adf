import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';
import { checkChunk } from './from-gemini-response.ts';
import type { AnswerBuilder } from './answer-builder.ts';
import { notGemini } from './map-gemini-error.ts';
import { readServerSentEvents } from './read-server-sent-events.ts';

/**
 * Yields the partial responses of a streamed answer, each with new texts and audio only, and adds each chunk to
 * `builder`. Throws `MODEL_INCOMPLETE` if the stream ends early, and the error that the stream contains.
 */
export async function* readGeminiStream(
  answer: Response,
  builder: AnswerBuilder,
): AsyncGenerator<LlmResponse, void, undefined> {
  try {
    for await (const chunk of readChunks(answer)) {
      const parts = builder.add(checkChunk(chunk));
      if (parts.length > 0) yield { content: { role: 'model', parts }, partial: true };
    }
  } catch (error) {
    // After the finish reason, a broken or silent connection cuts off nothing of the answer.
    const isCutOff = !TholeError.is(error) || error.code === 'MODEL_INCOMPLETE' || error.code === 'MODEL_TIMEOUT';
    if (!builder.isEnded || !isCutOff) throw error;
  }
  if (!builder.isEnded && !builder.hasToken)
    throw new TholeError('MODEL_INCOMPLETE', "Gemini's stream ended before the answer was complete.");
}

/** Yields an answer without streaming as one chunk. A failed read is not retried. */
export async function* readGeminiAnswer(
  answer: Response,
): AsyncGenerator<{ readonly [key: string]: unknown }, void, undefined> {
  yield checkChunk(parse(await answer.text(), answer));
}

async function* readChunks(answer: Response): AsyncGenerator<unknown, void, undefined> {
  if (!/^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '')) {
    const whole = parse(await answer.text(), answer);
    yield* Array.isArray(whole) ? (whole as unknown[]) : [whole];
    return;
  }
  for await (const data of readServerSentEvents(answer.body as unknown as AsyncIterable<Uint8Array>)) {
    if (data === '' || data === '[DONE]') continue;
    yield parseChunk(data);
  }
}

/** Throws `MODEL_INCOMPLETE` for a chunk that is not JSON: the end of the stream cut it off. */
function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new TholeError(
      'MODEL_INCOMPLETE',
      "A part of Gemini's stream is not valid JSON, because the stream ended early.",
    );
  }
}

function parse(text: string, answer: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = answer.headers.get('content-type') ?? 'unknown';
    throw notGemini(`its body, of the type ${type}, is not JSON`);
  }
}
