import { createHash } from 'node:crypto';

/** Returns the index key of an id: the id itself, or its hash if it is long or has unusual characters. */
export function toEventKey(id: string): string {
  if (/^[\w.:@-]{1,70}$/.test(id)) return id;
  // Hashes UTF-16 code units, because UTF-8 replaces every lone surrogate with the same character.
  return `#${createHash('sha256').update(id, 'utf16le').digest('base64url')}`;
}

/** Returns the id of an index key. Undefined without a key, and for a hash. */
export function toEventId(key: string | undefined): string | undefined {
  return key?.startsWith('#') ? undefined : key;
}
