import type { Content, Part } from '@thole/core';
import { openAiError } from './open-ai-error.ts';
import { textIn, toParts } from './to-parts.ts';

/** A message of the request: of Chat Completions, or an input item of Responses. */
export interface ClientMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** The messages of a request. */
export interface ClientTurns {
  /** The conversation before the newest message. It ends with an answer. */
  history: Content[];
  /** The user's messages after the last answer. */
  message: Content & { parts: Part[] };
}

/**
 * Splits the messages of a request. Messages of the roles `system` and `developer` are texts of the user before the next
 * message: they have no authority over the agent. Calls and results of tools are left out. Throws `INVALID_INPUT` if
 * nothing of the user follows the last answer. `param` is the name of the list.
 */
export function clientTurns(messages: readonly ClientMessage[], param: string): ClientTurns {
  const history: Content[] = [];
  let parts: Part[] = [];
  let hasMessage = false;
  for (const [i, { role, content }] of messages.entries()) {
    if (role === 'assistant') {
      const text = textIn(content);
      if (text === '') continue;
      if (parts.length > 0) history.push({ role: 'user', parts });
      history.push({ role: 'model', parts: [{ text }] });
      parts = [];
      hasMessage = false;
    } else if (role === 'user' || role === 'system' || role === 'developer') {
      const added = toParts(content ?? '', `${param}[${i}].content`);
      parts.push(...added);
      hasMessage ||= role === 'user' && added.length > 0;
    }
  }
  if (!hasMessage) throw openAiError(`${param} must end with a message of the user that is not empty.`, { param });
  return { history, message: { role: 'user', parts } };
}
