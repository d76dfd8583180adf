import { TholeError } from '@thole/core';
import { decodeText, encodeText, isEncoded } from '@thole/core/kit';
import type { StateDelta, StateMap, TextCodec } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import type { ScriptReply } from '../client/script-call.ts';

/**
 * Returns pairs of field and value for a script. A field is the key as JSON text, so it begins with a quote and never equals a
 * bookkeeping field such as `v`. A value is JSON text, or '' for a deleted key.
 */
export function toStateFields(
  delta: StateDelta | undefined,
  codec: TextCodec | undefined,
): string[] | Promise<string[]> {
  const fields: string[] = [];
  for (const key in delta) {
    const value = delta[key]!;
    fields.push(JSON.stringify(key), value === null ? '' : JSON.stringify(value));
  }
  return codec && fields.length > 0 ? encodeValues(fields, codec) : fields;
}

async function encodeValues(fields: string[], codec: TextCodec): Promise<string[]> {
  for (let i = 1; i < fields.length; i += 2) if (fields[i] !== '') fields[i] = await encodeText(codec, fields[i]!);
  return fields;
}

/**
 * Returns the state in the fields and values of a hash, and the number of writes to it. Throws `STORE_VERSION` if another version of
 * this package wrote it.
 */
export async function readStateFields(
  reply: ScriptReply,
  codec: TextCodec | undefined,
): Promise<{ state: StateMap; version: number }> {
  const pairs = reply as string[];
  const members: string[] = [];
  let version = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const [field, value] = [pairs[i]!, pairs[i + 1]!];
    if (field.startsWith('"')) members.push(`${field}:${isEncoded(value) ? await decodeText(codec, value) : value}`);
    else if (field === '#') version = Number(value);
    else if (field === 'v') assertVersion(value, 'A state');
  }
  return { state: members.length === 0 ? {} : parseState(`{${members.join(',')}}`), version };
}

/** Returns the state in a JSON text. Throws `STORE_VERSION` without the error of the parser, which contains a part of the text. */
export function parseState(text: string): StateMap {
  try {
    return JSON.parse(text) as StateMap;
  } catch {
    throw new TholeError('STORE_VERSION', 'A state in Redis cannot be read: another codec or version wrote it.');
  }
}
