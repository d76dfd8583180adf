import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import { jsonObject } from '../http/schemas.ts';

/** The body of `POST /ui/{app}/chat`, as `useChat` sends it. */
export interface ChatBody {
  /** The chat, which is a session. */
  id: string;
  messages: readonly unknown[];
  trigger?: 'submit-message' | 'regenerate-message' | undefined;
  /** The message to edit, to answer again, or with answers. */
  messageId?: string | null | undefined;
  /** Values for interrupts by id. The page sets it in `sendMessage(undefined, { body: { answers } })`. */
  answers?: JsonObject | undefined;
  userId?: string | undefined;
}

const name = z.string().min(1);

/** Schema of the body of `POST /ui/{app}/chat`. */
export const chatBody: z.ZodType<ChatBody> = z.object({
  id: name,
  messages: z.array(z.unknown()).min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: name.nullish(),
  answers: jsonObject.optional(),
  userId: name.optional(),
});

/** The only message of a request that is read. The page's history is not: the session has it. */
export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant';
  parts: readonly unknown[];
}

/**
 * Returns the message that a request is about: for an answer or an edit the message with `messageId`, otherwise the last one. Throws
 * `INVALID_INPUT` for a message that is not a user's or an assistant's.
 */
export function messageOf({ messages, messageId, trigger }: ChatBody): ChatMessage {
  const named =
    trigger === 'regenerate-message' || messageId == null
      ? undefined
      : messages.findLast((each) => isPlainObject(each) && each['id'] === messageId);
  const message = named ?? messages.at(-1);
  const { id, role, parts } = isPlainObject(message) ? message : {};
  if (typeof id !== 'string' || (role !== 'user' && role !== 'assistant') || !Array.isArray(parts))
    throw new TholeError('INVALID_INPUT', 'The message must have an id, the role user or assistant, and parts.');
  return { id, role, parts: parts as unknown[] };
}
