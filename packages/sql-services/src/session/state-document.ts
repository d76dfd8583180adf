import { decodeText, encodeText, setOwn } from '@thole/core/kit';
import type { Json, StateDelta, StateMap, TextCodec } from '@thole/core';

/**
 * A session's state as the database holds it: one flat object, each value a string that holds the value's JSON (and the
 * codec's work). So the database itself can merge a change into it, in one statement and whatever is in the values. Keys are
 * ASCII, with `~` and four digits for each other unit.
 */
export type StateDocument = { readonly [key: string]: string };

/** A change as a patch (RFC 7396) to the document; undefined where nothing changes. */
export function toStatePatch(
  codec: TextCodec | undefined,
  delta: StateDelta | undefined,
): string | undefined | Promise<string> {
  const keys = Object.keys(delta ?? {});
  if (keys.length === 0) return undefined;
  const patch: { [key: string]: string | null } = {};
  if (codec) return encodedPatch(codec, delta!, keys);
  for (const key of keys) setOwn(patch, toColumnKey(key), delta![key] === null ? null : JSON.stringify(delta![key]));
  return JSON.stringify(patch);
}

async function encodedPatch(codec: TextCodec, delta: StateDelta, keys: readonly string[]): Promise<string> {
  const patch: { [key: string]: string | null } = {};
  for (const key of keys) {
    const value = delta[key] === null ? null : await encodeText(codec, JSON.stringify(delta[key]));
    setOwn(patch, toColumnKey(key), value);
  }
  return JSON.stringify(patch);
}

/** The state that a column holds, given as text or, by some drivers, parsed. */
export async function fromStateDocument(codec: TextCodec | undefined, column: unknown): Promise<StateMap> {
  const state: StateMap = {};
  if (column === null || column === undefined) return state;
  const isParsed = typeof column === 'object' && !ArrayBuffer.isView(column);
  const document = isParsed ? column : JSON.parse(typeof column === 'string' ? column : decodeUtf8(column));
  for (const [key, text] of Object.entries(document as StateDocument)) {
    const plain = decodeText(codec, text);
    setOwn(state, fromColumnKey(key), JSON.parse(typeof plain === 'string' ? plain : await plain) as Json);
  }
  return state;
}

function decodeUtf8(bytes: unknown): string {
  return new TextDecoder().decode(bytes as Uint8Array);
}

/** A key in ASCII. */
export function toColumnKey(key: string): string {
  if (/^[\w.:-]+$/.test(key)) return key;
  if (key === '') return '~';
  return key.replaceAll(/[^\w.:-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The key that it was. */
export function fromColumnKey(key: string): string {
  if (!key.includes('~')) return key;
  if (key === '~') return '';
  return key.replaceAll(/~([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
