import { isFromEndpoint, isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/** Returns the `partMetadata` of a part that only its endpoint understands. `block` has the members that the part lacks. */
export function toPartMark(endpoint: string, block: JsonObject): NonNullable<Part['partMetadata']> {
  return { provider: endpoint, block };
}

/** Returns the block in the `partMetadata` of a part that this endpoint made. Undefined for other parts. */
export function readPartMark(part: Part, endpoint: Endpoint): JsonObject | undefined {
  if (!isPlainObject(part.partMetadata) || !isFromEndpoint(part, endpoint)) return undefined;
  const block: unknown = part.partMetadata['block'];
  return isPlainObject(block) ? (block as JsonObject) : undefined;
}
