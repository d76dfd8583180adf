import { getOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * Returns the target of a `$ref` within a schema (`#`, `#/$defs/room`). Undefined if it does not exist or is
 * outside.
 */
export function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null) return undefined;
    found = getOwn(found as { [key: string]: Json }, name);
  }
  return found;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
