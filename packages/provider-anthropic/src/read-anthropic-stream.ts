import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { LlmResponse } from '@thole/core';
import type { OpenedAnswer } from './anthropic-client.ts';
import { addAnthropicResponse } from './from-anthropic-response.ts';
import type { GatheredAnswer } from './gathered-answer.ts';
import { notAMessage } from './map-anthropic-error.ts';

/**
 * Adds an answer to `gathered`, and yields the partial responses of a streamed one, each with new text only. Throws
 * `MODEL_INCOMPLETE` if it ends early.
 */
export async function* readAnthropicStream(
  opened: OpenedAnswer,
  gathered: GatheredAnswer,
): AsyncGenerator<LlmResponse, void, undefined> {
  if ('whole' in opened) {
    addAnthropicResponse(parsed(await opened.whole.text()), gathered);
    return;
  }
  let isBegun = false;
  for await (const event of opened.events) {
    if (!isPlainObject(event)) continue;
    isBegun = true;
    const part = gathered.addEvent(event);
    if (part) yield { content: { role: 'model', parts: [part] }, partial: true };
  }
  if (gathered.isWhole) return;
  if (isBegun) throw new TholeError('MODEL_INCOMPLETE', "Claude's answer ended before it was complete.");
  throw new TholeError('MODEL_INCOMPLETE', "Claude's server answered with status 200, but without an event.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAMessage(text);
  }
}
