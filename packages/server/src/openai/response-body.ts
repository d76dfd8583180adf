import { isPlainObject } from '@thole/core/kit';
import { z } from 'zod';
import { mapOf } from '../http/schemas.ts';
import type { ClientMessage } from './client-turns.ts';
import { openAiError } from './open-ai-error.ts';
import { otherParameters } from './unsupported.ts';

/** The body of `/v1/responses`. */
export interface ResponseBody {
  model: string;
  input: string | readonly unknown[];
  instructions?: string | null | undefined;
  stream?: boolean | null | undefined;
  store?: boolean | null | undefined;
  user?: string | null | undefined;
  conversation?: string | { id: string } | null | undefined;
  previous_response_id?: string | null | undefined;
  metadata?: { readonly [name: string]: string } | null | undefined;
}

const id = z.string().min(1);

/** Schema of the body of `/v1/responses`. */
export const responseBody: z.ZodType<ResponseBody> = z.object({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.unknown()).min(1)], 'must be a string or a list of items'),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.unknown().optional(),
  store: z.boolean().nullish(),
  user: id.nullish(),
  conversation: z.union([id, z.looseObject({ id })], 'must be an id or an object with an id').nullish(),
  previous_response_id: id.nullish(),
  metadata: mapOf(z.string()).nullish(),
  ...otherParameters,
});

/** Types of items that belong to an answer. They are left out. */
const answerItemTypes: readonly unknown[] = ['reasoning', 'function_call', 'function_call_output'];

/**
 * Returns the instructions, as a message of the developer, and the messages of the input. Throws `INVALID_INPUT` for an item that
 * is not supported, such as a reference to an item.
 */
export function readMessages({ input, instructions }: ResponseBody): ClientMessage[] {
  const first = instructions ? [{ role: 'developer', content: instructions }] : [];
  if (typeof input === 'string') return [...first, { role: 'user', content: input }];
  return [...first, ...input.flatMap((item, i) => readMessage(item, `input[${i}]`))];
}

function readMessage(item: unknown, param: string): ClientMessage[] {
  if (!isPlainObject(item)) throw openAiError(`${param} must be an object.`, { param });
  const { content, role, type } = item;
  if (answerItemTypes.includes(type)) return [];
  if (type === 'item_reference') {
    const remedy = 'Send the message itself, for example with store: false in the AI SDK, or set previous_response_id.';
    throw openAiError(`${param} is a reference to an item, which is not supported. ${remedy}`, { param });
  }
  if ((type !== undefined && type !== 'message') || typeof role !== 'string')
    throw openAiError(`${param} has an unsupported type. Send messages.`, { param });
  return [{ role, content }];
}
