import { setOwn } from '@thole/core/kit';
import type { Json, JsonObject, StateDelta } from '@thole/core';

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

/** Applies a state delta to `state`, and returns the change as a JSON Patch. Empty if nothing changes. */
export function patchState(state: JsonObject, delta: StateDelta): PatchOperation[] {
  const patch: PatchOperation[] = [];
  for (const [key, value] of Object.entries(delta)) {
    const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const exists = Object.hasOwn(state, key);
    if (value === null) {
      if (!exists) continue;
      delete state[key];
      patch.push({ op: 'remove', path });
    } else {
      setOwn(state, key, value);
      patch.push({ op: exists ? 'replace' : 'add', path, value });
    }
  }
  return patch;
}
