import { decodeText, encodeText, setOwn } from '@thole/core/kit';
import type { Json, StateDelta, StateMap, TextCodec } from '@thole/core';
import { columnText, parseStored } from './row-values.ts';

/**
 * A session's state in the database: a flat object whose values are strings with the JSON of each value, encoded by the
 * codec. So the database can merge a change in one statement, for any values. Keys are ASCII: `~` and four
 * hexadecimal digits replace any other UTF-16 code unit.
 */
export type StateDocument = { readonly [key: string]: string };

/** Returns a change as a patch (RFC 7396) of the document. Returns undefined if nothing changes. */
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

/** Returns the state in a column. Some drivers return the document parsed. */
export async function fromStateDocument(codec: TextCodec | undefined, column: unknown): Promise<StateMap> {
  const state: StateMap = {};
  if (column === null || column === undefined) return state;
  const isParsed = typeof column === 'object' && !ArrayBuffer.isView(column);
  const document = isParsed ? column : JSON.parse(typeof column === 'string' ? column : decodeUtf8(column));
  for (const [key, text] of Object.entries(document as StateDocument)) {
    const plain = decodeText(codec, text);
    setOwn(state, fromColumnKey(key), parseValue(typeof plain === 'string' ? plain : await plain));
  }
  return state;
}

/** Returns the text of the document in a column after a patch. */
export function mergeDocument(column: unknown, patch: string): string {
  const isParsed = typeof column === 'object' && !ArrayBuffer.isView(column);
  const stored = isParsed ? column : (JSON.parse(columnText(column)) as StateDocument);
  const merged = new Map<string, string | null>(Object.entries((stored ?? {}) as StateDocument));
  for (const [key, value] of Object.entries(JSON.parse(patch) as { [key: string]: string | null }))
    merged.set(key, value);
  return JSON.stringify(Object.fromEntries([...merged].filter(([, value]) => value !== null)));
}

/** Returns a value of a state. */
export function parseValue(text: string): Json {
  return parseStored('A state value', text, JSON.parse);
}

function decodeUtf8(bytes: unknown): string {
  return new TextDecoder().decode(bytes as Uint8Array);
}

/** Converts a state key to ASCII. */
export function toColumnKey(key: string): string {
  if (/^[\w.:-]+$/.test(key)) return key;
  if (key === '') return '~';
  return key.replaceAll(/[^\w.:-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Converts a key of the document to the state key. */
export function fromColumnKey(key: string): string {
  if (!key.includes('~')) return key;
  if (key === '~') return '';
  return key.replaceAll(/~([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
