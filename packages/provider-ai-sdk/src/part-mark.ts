import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/**
 * Data in the `partMetadata` of parts from an AI SDK model, next to `provider`. The provider needs it when the answer is
 * sent back. It does not contain text, thoughts, arguments and files: these are read from the parts, so that changes by a
 * plugin are sent.
 */
export interface PartMark {
  /** The provider's metadata of this part: signatures, ids. Sent back as `providerOptions`. */
  readonly metadata?: JsonObject | undefined;
  /** Contents before this part that are not parts: calls that the provider ran itself, reasoning without text. */
  readonly before?: readonly JsonObject[] | undefined;
  /** The same, after the last part. */
  readonly after?: readonly JsonObject[] | undefined;
}

/**
 * Returns the mark of a part that this endpoint made through the AI SDK. Undefined for other parts. Validates the mark,
 * because a history may contain any data.
 */
export function readMark(part: Part, endpoint: Endpoint): PartMark | undefined {
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
