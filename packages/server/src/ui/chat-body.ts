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
  /** The message to edit or to answer again, or the message that contains answers. */
  messageId?: string | null | undefined;
  /** Values for interrupts by id. The page passes them to `sendMessage(undefined, { body: { answers } })`. */
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

/** The message of a request that is read. The other messages are ignored, because the session contains them. */
export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant';
  parts: readonly unknown[];
}

/**
 * Returns the message that a request concerns: the message with `messageId` for an answer or an edit, otherwise the last message.
 * Throws `INVALID_INPUT` if its role is not `user` or `assistant`.
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
