import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import type { OpenedAnswer } from './anthropic-client.ts';
import { addAnthropicResponse } from './from-anthropic-response.ts';
import type { AnswerBuilder } from './answer-builder.ts';
import { notAMessage } from './map-anthropic-error.ts';

/**
 * Adds an answer to `builder`. Yields the partial responses of a streamed answer, each with new text only. Throws
 * `MODEL_INCOMPLETE` if the answer ends early.
 */
export async function* readAnthropicStream(
  opened: OpenedAnswer,
  builder: AnswerBuilder,
): AsyncGenerator<LlmResponse, void, undefined> {
  if ('body' in opened) {
    addAnthropicResponse(parseJson(await opened.body.text()), builder);
    return;
  }
  let hasEvents = false;
  try {
    for await (const event of opened.events) {
      if (!isPlainObject(event)) continue;
      hasEvents = true;
      const part = builder.addEvent(event);
      if (part) yield { content: { role: 'model', parts: [part] }, partial: true };
    }
  } catch (error) {
    // After the last event, the connection may break without any loss.
    if (!builder.isComplete) throw error;
  }
  if (builder.isComplete) return;
  if (hasEvents) throw new TholeError('MODEL_INCOMPLETE', "Claude's answer ended before it was complete.");
  throw new TholeError(
    'MODEL_INCOMPLETE',
    "Claude's server answered with status 200, but the stream contains no event.",
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAMessage(text);
  }
}
