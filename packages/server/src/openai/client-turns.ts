import type { Content, Part } from '@thole/core';
import { openAiError } from './open-ai-error.ts';
import { readText, toParts } from './to-parts.ts';

/** A message of a Chat Completions request, or an input item of a Responses request. */
export interface ClientMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** The messages of a request. */
export interface ClientTurns {
  /** The conversation up to the last answer. */
  history: Content[];
  /** The user's messages after the last answer. */
  message: Content & { parts: Part[] };
}

/**
 * Splits the messages of a request into history and new message. Messages of the roles `system` and `developer` become texts of
 * the user, because clients must not instruct the agent. Tool calls and results are left out. Throws `INVALID_INPUT` if no
 * message of the user follows the last answer. `param` is the name of the list in the request.
 */
export function splitTurns(messages: readonly ClientMessage[], param: string): ClientTurns {
  const history: Content[] = [];
  let parts: Part[] = [];
  let hasMessage = false;
  for (const [i, message] of messages.entries()) {
    const content = toContent(message, `${param}[${i}]`);
    if (content?.role === 'model') {
      if (parts.length > 0) history.push({ role: 'user', parts });
      history.push(content);
      parts = [];
      hasMessage = false;
    } else if (content) {
      parts.push(...content.parts);
      hasMessage ||= message.role === 'user';
    }
  }
  if (!hasMessage) throw openAiError(`${param} must end with a message of the user that is not empty.`, { param });
  return { history, message: { role: 'user', parts } };
}

/**
 * Returns the content of a message of the user or the assistant. Undefined if it is empty, or has another role. `param` is the name of
 * the message in the request.
 */
export function toContent({ content, role }: ClientMessage, param: string): ClientTurns['message'] | undefined {
  if (role === 'assistant') {
    const text = readText(content);
    return text === '' ? undefined : { role: 'model', parts: [{ text }] };
  }
  if (role !== 'user' && role !== 'system' && role !== 'developer') return undefined;
  const parts = toParts(content ?? '', `${param}.content`);
  return parts.length === 0 ? undefined : { role: 'user', parts };
}
