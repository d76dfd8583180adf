import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/** A content block of the Messages API. */
export type Block = { readonly [name: string]: Json | undefined };

/** Returns the mark of a part with data that only its endpoint understands: the members of its block that the part lacks. */
export function markWith(endpoint: string, block: JsonObject): NonNullable<Part['partMetadata']> {
  return { provider: endpoint, block };
}

/** Returns the marked block of a part that this endpoint made. Histories are data, so nothing about it is assumed. */
export function blockOf(part: Part, endpoint: Endpoint): JsonObject | undefined {
  if (!isPlainObject(part.partMetadata) || !isFromEndpoint(part, endpoint)) return undefined;
  const block: unknown = part.partMetadata['block'];
  return isPlainObject(block) ? (block as JsonObject) : undefined;
}
