import { setOwn } from '@thole/core/kit';
import { untouched } from './camel-keys.ts';

/** Envelopes have absent members, not null ones; maps of others' names go through untouched. The same object where nothing is taken out. */
export function withoutNulls<T>(value: T): T {
  return strip(value) as T;
}

function strip(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const made = value.map(strip);
    return made.some((each, i) => each !== value[i]) ? made : value;
  }
  let isSame = true;
  const made: { [key: string]: unknown } = {};
  for (const [key, each] of Object.entries(value)) {
    const kept = untouched.has(key) ? each : strip(each);
    if (kept !== each || kept === null) isSame = false;
    if (kept !== null) setOwn(made, key, kept);
  }
  return isSame ? value : made;
}
