import { setOwn } from '@thole/core/kit';
import { opaqueFields } from './camel-case-keys.ts';

/**
 * Returns a value without members that are null, because they are not sent. Values of `opaqueFields` stay unchanged. Returns the
 * same object if there is nothing to remove.
 */
export function withoutNulls<T>(value: T): T {
  return removeNulls(value) as T;
}

function removeNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(removeNulls);
    return items.some((each, i) => each !== value[i]) ? items : value;
  }
  let isSame = true;
  const copy: { [key: string]: unknown } = {};
  for (const [key, each] of Object.entries(value)) {
    const member = opaqueFields.has(key) ? each : removeNulls(each);
    if (member !== each || member === null) isSame = false;
    if (member !== null) setOwn(copy, key, member);
  }
  return isSame ? value : copy;
}
