import { isPlainObject } from '@thole/core/kit';
import { z } from 'zod';
import { mapOf } from '../http/schemas.ts';
import type { ClientMessage } from './client-turns.ts';
import { openAiError } from './open-ai-error.ts';
import type { PreviousResponse } from './previous-session.ts';
import { responseIdOf } from './response-id.ts';
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

/** The input of a request. */
export interface ResponseInput {
  /** The instructions, as a message of the developer, and the messages after the last reference. */
  messages: ClientMessage[];
  /** The response of the last reference. */
  reference?: PreviousResponse | undefined;
}

/**
 * Reads the input of a request. A reference replaces an answer that the client does not send again, so the messages before it are part
 * of an earlier response. Throws `INVALID_INPUT` for an item that is not supported.
 */
export function readInput({ input, instructions }: ResponseBody): ResponseInput {
  const first = instructions ? [{ role: 'developer', content: instructions }] : [];
  if (typeof input === 'string') return { messages: [...first, { role: 'user', content: input }] };
  const last = input.findLastIndex((item) => isPlainObject(item) && item['type'] === 'item_reference');
  const items = input.flatMap((item, i) => (i > last ? readMessage(item, `input[${i}]`) : []));
  return { messages: [...first, ...items], reference: last < 0 ? undefined : readReference(input[last], last) };
}

function readReference(item: unknown, index: number): PreviousResponse {
  const { id: itemId } = item as { id?: unknown };
  const param = `input[${index}]`;
  if (typeof itemId !== 'string') throw openAiError(`${param}.id must be a string.`, { param });
  return { responseId: responseIdOf(itemId), param };
}

/** Returns the message of an item. Empty for an item of a tool call or a thought. Throws `INVALID_INPUT` for any other item. */
export function readMessage(item: unknown, param: string): ClientMessage[] {
  if (!isPlainObject(item)) throw openAiError(`${param} must be an object.`, { param });
  const { content, role, type } = item;
  if (answerItemTypes.includes(type)) return [];
  if ((type !== undefined && type !== 'message') || typeof role !== 'string')
    throw openAiError(`${param} has an unsupported type. Send messages.`, { param });
  return [{ role, content }];
}
