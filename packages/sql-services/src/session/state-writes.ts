import { decodeText, encodeText, setOwn } from '@thole/core/kit';
import type { StateDelta, StateMap, TextCodec } from '@thole/core';
import type { Row, SqlValue } from '../client/sql-database.ts';
import { toEventKey } from './event-key.ts';
import { columnText } from './row-values.ts';
import { fromColumnKey, parseValue, toColumnKey } from './state-document.ts';

/** The owner of a state: the columns of the app, or of app and user, and their parameters. */
export interface StateOwner {
  readonly columns: readonly string[];
  readonly names: readonly SqlValue[];
}

/** One row of a state: hash, key and value. The value is null if the key is deleted. */
export type StateWrite = readonly [hash: string, key: string, value: string | null];

/** The row that counts the writes. Each write of a state locks this row first, so writers cannot deadlock. */
const counter: StateWrite = ['', '', null];

/** Returns the rows that a change writes: the counter and one row per key. Returns undefined if nothing changes. */
export async function toStateWrites(
  codec: TextCodec | undefined,
  delta: StateDelta | undefined,
): Promise<readonly StateWrite[] | undefined> {
  const keys = Object.keys(delta ?? {});
  if (keys.length === 0) return undefined;
  const writes: StateWrite[] = [counter];
  for (const key of keys) {
    const value = delta![key]!;
    const name = toColumnKey(key);
    writes.push([toEventKey(name), name, value === null ? null : await encodeText(codec, JSON.stringify(value))]);
  }
  return writes;
}

/** Returns the state in these rows, and the count of its writes. */
export async function fromStateRows(
  codec: TextCodec | undefined,
  rows: readonly Row[],
): Promise<{ state: StateMap; version: number }> {
  const state: StateMap = {};
  let version = 0;
  for (const row of rows) {
    const key = columnText(row['state_key']);
    const value = row['value'];
    if (key === '') version = Number(row['version']);
    if (value === null || value === undefined) continue;
    const text = decodeText(codec, columnText(value));
    setOwn(state, fromColumnKey(key), parseValue(typeof text === 'string' ? text : await text));
  }
  return { state, version };
}
