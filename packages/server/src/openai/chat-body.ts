import { z } from 'zod';
import { untilFirstError } from '../http/schemas.ts';
import type { ClientMessage } from './client-turns.ts';
import { otherParameters } from './unsupported.ts';

/** The body of `/v1/chat/completions`. */
export interface ChatBody {
  model: string;
  messages: readonly ClientMessage[];
  stream?: boolean | null | undefined;
  stream_options?: { include_usage?: boolean | null | undefined } | null | undefined;
  user?: string | null | undefined;
  metadata?: { session_id?: string | undefined } | null | undefined;
  store?: boolean | null | undefined;
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Schema of the body of `/v1/chat/completions`. */
export const chatBody: z.ZodType<ChatBody> = z.object({
  model: z.string().min(1),
  messages: untilFirstError(z.array(z.looseObject({ role: z.enum(roles), content: z.unknown().optional() })).min(1)),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: z.string().min(1).nullish(),
  metadata: z.looseObject({ session_id: z.string().min(1).optional() }).nullish(),
  store: z.boolean().nullish(),
  ...otherParameters,
});
