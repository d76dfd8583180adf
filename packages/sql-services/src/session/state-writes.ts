import { decodeText, encodeText, setOwn } from '@thole/core/kit';
import type { Json, StateDelta, StateMap, TextCodec } from '@thole/core';
import type { Row, SqlValue } from '../client/sql-database.ts';
import { toEventKey } from './event-key.ts';
import { columnText } from './row-values.ts';
import { fromColumnKey, toColumnKey } from './state-document.ts';

/** Whose state it is: the columns that name the app, or app and user, with the names as they are bound. */
export interface StateOwner {
  readonly columns: readonly string[];
  readonly names: readonly SqlValue[];
}

/** One row: hash, key and value; null where the key is deleted. */
export type StateWrite = readonly [hash: string, key: string, value: string | null];

/** Counts the writes. First, so that all writers of one state wait for each other there and never crosswise. */
const counter: StateWrite = ['', '', null];

/** The rows that a change writes: one for each key, and the one that counts; undefined where nothing changes. */
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

/** The state that rows hold, and how often it was written. */
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
    setOwn(state, fromColumnKey(key), JSON.parse(typeof text === 'string' ? text : await text) as Json);
  }
  return { state, version };
}
