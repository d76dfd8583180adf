import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';
import { checkPiece } from './from-gemini-response.ts';
import type { GatheredAnswer } from './gathered-answer.ts';
import { notGemini } from './map-gemini-error.ts';
import { readServerSentEvents } from './read-server-sent-events.ts';

/**
 * Yields the partial responses of a streamed answer, each with new texts only, and collects the complete answer.
 * Throws `MODEL_INCOMPLETE` if the stream ends early, and the error that the stream holds.
 */
export async function* readGeminiStream(
  answer: Response,
  gathered: GatheredAnswer,
): AsyncGenerator<LlmResponse, void, undefined> {
  for await (const piece of piecesOf(answer)) {
    const parts = gathered.add(checkPiece(piece));
    if (parts.length > 0) yield { content: { role: 'model', parts }, partial: true };
  }
  if (!gathered.isEnded && !gathered.hasToken)
    throw new TholeError('MODEL_INCOMPLETE', "Gemini's stream ended before the answer was complete.");
}

/** Yields an answer without streaming as one chunk. A failed read is not retried. */
export async function* readGeminiAnswer(
  answer: Response,
): AsyncGenerator<{ readonly [key: string]: unknown }, void, undefined> {
  yield checkPiece(parse(await answer.text(), answer));
}

async function* piecesOf(answer: Response): AsyncGenerator<unknown, void, undefined> {
  if (!/^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '')) {
    const whole = parse(await answer.text(), answer);
    yield* Array.isArray(whole) ? (whole as unknown[]) : [whole];
    return;
  }
  for await (const data of readServerSentEvents(answer.body as unknown as AsyncIterable<Uint8Array>)) {
    if (data === '' || data === '[DONE]') continue;
    yield parsePiece(data);
  }
}

/** A chunk that is not JSON was cut off. */
function parsePiece(data: string): unknown {
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
    const type = answer.headers.get('content-type') ?? 'nothing';
    throw notGemini(`it sent ${type} that is not JSON`);
  }
}
