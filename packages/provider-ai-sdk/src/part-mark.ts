import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/**
 * Data in `partMetadata`, next to `provider`, of parts from an AI SDK model, so that its answer can be sent back with
 * all that the provider needs. Text, thoughts, arguments and files are not in it: they are taken from the parts, so
 * that changes by a plugin are sent.
 */
export interface PartMark {
  /** The provider's metadata of this part: signatures, ids. Sent back as `providerOptions`. */
  readonly metadata?: JsonObject | undefined;
  /** Content before this part that is not a part: calls that the provider ran itself, reasoning without text. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The same, after the last part. */
  readonly after?: readonly JsonObject[] | undefined;
}

/**
 * Returns the mark of a part that this endpoint made through the AI SDK. Histories are data, so nothing about it is
 * assumed.
 */
export function markOf(part: Part, endpoint: Endpoint): PartMark | undefined {
  const { partMetadata } = part;
  if (!isPlainObject(partMetadata) || !isFromEndpoint(part, endpoint)) return undefined;
  const { metadata, before, after } = partMetadata as { [key: string]: unknown };
  return {
    ...(isPlainObject(metadata) && { metadata: metadata as JsonObject }),
    ...(Array.isArray(before) && { before: before.filter(isContent) }),
    ...(Array.isArray(after) && { after: after.filter(isContent) }),
  };
}

const isContent = (value: unknown): value is JsonObject => isPlainObject(value) && typeof value['type'] === 'string';
