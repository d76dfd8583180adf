import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/**
 * Data in the `partMetadata` of parts from the Responses API, next to `provider`. The items of an answer are rebuilt from
 * it and sent back unchanged. It does not contain text, thoughts, arguments, code and files: these are read from the
 * parts, so that changes by a plugin are sent.
 */
export interface PartMark {
  /** Index of the item that the part belongs to. Ids are not enough: two items may share one. */
  readonly index: number;
  /** On the first part of an item: the item (id, phase, encrypted_content …) without the content of its parts. */
  readonly item?: JsonObject | undefined;
  /** The entry of the item that became this part (type, annotations), without its text. */
  readonly entry?: JsonObject | undefined;
  /** The list of the item that contains the piece, if the item has several lists. */
  readonly list?: string | undefined;
  /** Items before this part that are not parts: reasoning without text, calls that the provider ran itself. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The same, after the last part. */
  readonly after?: readonly JsonObject[] | undefined;
}

/**
 * Returns the mark of a part that this endpoint made with the Responses API. Undefined for other parts. Validates the
 * mark, because a history may contain any data.
 */
export function readMark(part: Part, endpoint: Endpoint): PartMark | undefined {
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
