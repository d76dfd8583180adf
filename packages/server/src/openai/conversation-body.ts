import type { Content } from '@thole/core';
import { z } from 'zod';
import { mapOf, untilFirstError } from '../http/schemas.ts';
import { toContent } from './client-turns.ts';
import { readMessage } from './response-body.ts';

/** Key-value pairs of a conversation. */
export interface Metadata {
  readonly [name: string]: string;
}

/** The body of `POST /v1/conversations`. */
export interface NewConversationBody {
  items?: readonly unknown[] | null | undefined;
  metadata?: Metadata | null | undefined;
}

const MAX_ITEMS = 20;
const items = untilFirstError(z.array(z.unknown()), MAX_ITEMS);
const hasShortNames = (metadata: Metadata): boolean => Object.keys(metadata).every((name) => name.length <= 64);

/** Schema of the metadata of a conversation, with the limits of OpenAI. */
export const metadataSchema: z.ZodType<Metadata> = mapOf(z.string().max(512, 'must have at most 512 characters'))
  .refine((each) => Object.keys(each).length <= 16, 'must have at most 16 keys')
  .refine(hasShortNames, 'must have keys of at most 64 characters');

/** Schema of the body of `POST /v1/conversations`. */
export const newConversationBody: z.ZodType<NewConversationBody | null | undefined> = z
  .object({ items: items.nullish(), metadata: metadataSchema.nullish() })
  .nullish();

/** Schema of the body of `POST /v1/conversations/:session`. */
export const metadataBody: z.ZodType<{ metadata: Metadata | null }> = z.object({ metadata: metadataSchema.nullable() });

/** Schema of the body of `POST /v1/conversations/:session/items`. */
export const itemsBody: z.ZodType<{ items: readonly unknown[] }> = z.object({ items });

/** Returns the messages of items. Tool calls, their results and thoughts are left out. Throws `INVALID_INPUT` for any other item. */
export function readItems(values: readonly unknown[]): Content[] {
  return values.flatMap((each, i) => {
    const param = `items[${i}]`;
    return readMessage(each, param).flatMap((message) => toContent(message, param) ?? []);
  });
}
