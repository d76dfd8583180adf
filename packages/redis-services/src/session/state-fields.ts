import { TholeError } from '@thole/core';
import { decodeText, encodeText, isEncoded } from '@thole/core/kit';
import type { StateDelta, StateMap, TextCodec } from '@thole/core';
import type { ScriptReply } from '../client/pending-call.ts';

/**
 * Pairs of field and value for a script. Fields are the keys as JSON text, so that any key is well-formed and none meets the
 * bookkeeping fields, which do not begin with a quote; values are JSON text, '' for what is deleted.
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
  return codec && fields.length > 0 ? encoded(fields, codec) : fields;
}

async function encoded(fields: string[], codec: TextCodec): Promise<string[]> {
  for (let i = 1; i < fields.length; i += 2) if (fields[i] !== '') fields[i] = await encodeText(codec, fields[i]!);
  return fields;
}

/** The state in a hash's fields and values, and how often it was written. `STORE_VERSION` for one of another version. */
export async function readStateFields(
  flat: ScriptReply,
  codec: TextCodec | undefined,
): Promise<{ state: StateMap; version: number }> {
  const pairs = flat as string[];
  const members: string[] = [];
  let version = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const [field, value] = [pairs[i]!, pairs[i + 1]!];
    if (field.startsWith('"')) members.push(`${field}:${isEncoded(value) ? await decodeText(codec, value) : value}`);
    else if (field === '#') version = Number(value);
    else if (field === 'v') assertVersion(value, 'A state');
  }
  return { state: members.length === 0 ? {} : (JSON.parse(`{${members.join(',')}}`) as StateMap), version };
}

/** `STORE_VERSION` for a record of a version that this package does not know. */
export function assertVersion(version: unknown, what: string): void {
  if (version === '1' || version === 1) return;
  throw new TholeError(
    'STORE_VERSION',
    `${what} in Redis is of version ${String(version)}; this package reads version 1.`,
  );
}
