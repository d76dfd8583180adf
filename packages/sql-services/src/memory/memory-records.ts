import { TholeError } from '@thole/core';
import { decodeText, encodeText } from '@thole/core/kit';
import type { MemoryEntry, StoredMemory, TextCodec } from '@thole/core';
import type { Row } from '../client/sql-database.ts';
import { toEventKey } from '../session/event-key.ts';
import { columnText } from '../session/row-values.ts';

/** An entry in the form of the database. `idText` is JSON, because an id may contain any character. `idKey` is its index key. */
export interface MemoryRecord {
  readonly id: string;
  readonly idKey: string;
  readonly idText: string;
  readonly kind: string;
  readonly sessionKey: string | null;
  readonly time: number | null;
  readonly text: string;
}

/** Converts entries to records with encoded texts. */
export async function toMemoryRecords(
  codec: TextCodec | undefined,
  entries: readonly MemoryEntry[],
): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  for (const entry of entries) {
    const text = encodeText(codec, JSON.stringify(entry));
    records.push({
      id: entry.id,
      idKey: toIdKey(entry.id),
      idText: JSON.stringify(entry.id),
      kind: entry.kind,
      sessionKey: entry.sessionId === undefined ? null : toIdKey(entry.sessionId),
      time: entry.timestamp ?? null,
      text: typeof text === 'string' ? text : await text,
    });
  }
  return records;
}

/** Returns the index key of the id of an entry or session. */
export const toIdKey: (id: string) => string = toEventKey;

/** Returns the entry of a row with `seq`, `entry` and `v`. Throws `STORE_VERSION` for an unknown version. */
export async function fromMemoryRow(codec: TextCodec | undefined, row: Row): Promise<StoredMemory> {
  assertVersion(row['v'], 'A memory entry');
  const text = decodeText(codec, columnText(row['entry']));
  return { seq: Number(row['seq']), entry: JSON.parse(typeof text === 'string' ? text : await text) as MemoryEntry };
}

/** Returns the id in a row's `entry_id`. */
export function readEntryId(row: Row): string {
  return JSON.parse(columnText(row['entry_id'])) as string;
}

/** Returns a row's `write_id`. Undefined in rows of earlier versions. */
export function readWriteId(row: Row): string | undefined {
  const id = row['write_id'];
  return id === null || id === undefined ? undefined : columnText(id);
}

/** Throws `STORE_VERSION` unless the record has version 1. */
export function assertVersion(v: unknown, record: string): void {
  if (Number(v) === 1) return;
  throw new TholeError('STORE_VERSION', `${record} has version ${Number(v)}. This package reads version 1.`);
}
