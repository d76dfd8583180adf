import type { Json, JsonObject } from './json.ts';
import { getOwn } from './own.ts';

/**
 * Returns the target of a `$ref` within a schema (`#`, `#/$defs/room`). Undefined if the target does not exist or is in
 * another document.
 */
export function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null) return undefined;
    target = getOwn(target as { [key: string]: Json }, name);
  }
  return target;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
