import { createHash } from 'node:crypto';

/** An event's id as it stands in the index: as it is, or hashed where it is long or holds anything unusual. */
export function toEventKey(id: string): string {
  if (/^[\w.:@-]{1,70}$/.test(id)) return id;
  // Sixteen bits a unit, so that lone surrogates differ too.
  return `#${createHash('sha256').update(id, 'utf16le').digest('base64url')}`;
}
