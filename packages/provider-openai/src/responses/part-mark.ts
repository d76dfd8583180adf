import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/**
 * What parts made of an answer of the Responses API bear in `partMetadata`, next to `provider`, so that the items of the answer
 * can be sent back as they came. Text, thoughts, arguments, code and data are not in it: they are taken from the parts, so
 * that what a plugin has changed there is what is sent.
 */
export interface PartMark {
  /** Which item of the answer the part belongs to. Ids will not do: two items may share one. */
  readonly index: number;
  /** On the first part of an item: the item (id, phase, encrypted_content …) without what its parts say. */
  readonly item?: JsonObject | undefined;
  /** The piece of the item that this part is (its type, annotations), without its text. */
  readonly entry?: JsonObject | undefined;
  /** Which list of the item the piece stands in, where there are several. */
  readonly list?: string | undefined;
  /** Items that are no parts and stood before this one: reasoning without words, calls that the provider ran itself. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The same, behind the last part. */
  readonly after?: readonly JsonObject[] | undefined;
}

/** The mark of a part that this endpoint made with the Responses API; histories are data, so nothing is taken for granted. */
export function markOf(part: Part, endpoint: Endpoint): PartMark | undefined {
  const { partMetadata } = part;
  if (!isPlainObject(partMetadata) || !isFromEndpoint(part, endpoint)) return undefined;
  const { index, item, entry, list, before, after } = partMetadata as { [key: string]: unknown };
  if (typeof index !== 'number') return undefined;
  return {
    index,
    ...(isPlainObject(item) && { item: item as JsonObject }),
    ...(isPlainObject(entry) && { entry: entry as JsonObject }),
    ...(typeof list === 'string' && { list }),
    ...(Array.isArray(before) && { before: before.filter(isItem) }),
    ...(Array.isArray(after) && { after: after.filter(isItem) }),
  };
}

const isItem = (value: unknown): value is JsonObject => isPlainObject(value);
