import { isPlainObject, MAX_JSON_DEPTH } from './find-non-json.ts';
import { setOwn } from './own.ts';

/** Returns a copy in which every object with a `toJSON` method is replaced by its result. Circular references stay circular. */
export function resolveToJson(value: unknown): unknown {
  return resolve(value, 0, new Map());
}

function resolve(value: unknown, depth: number, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_JSON_DEPTH) return value;
  if (copies.has(value)) return copies.get(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return resolve((toJSON as () => unknown).call(value), depth + 1, copies);
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    copies.set(value, copy);
    for (const member of value) copy.push(resolve(member, depth + 1, copies));
    return copy;
  }
  if (!isPlainObject(value)) return value;
  const copy: { [key: string]: unknown } = {};
  copies.set(value, copy);
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, resolve(member, depth + 1, copies));
  return copy;
}
