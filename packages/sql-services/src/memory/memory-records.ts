import { TholeError } from '@thole/core';
import { decodeText, encodeText } from '@thole/core/kit';
import type { MemoryEntry, StoredMemory, TextCodec } from '@thole/core';
import type { Row } from '../client/sql-database.ts';
import { toEventKey } from '../session/event-key.ts';
import { columnText } from '../session/row-values.ts';

/** An entry as the database gets it. Ids as JSON, for they may hold what no column takes, and short for the indexes. */
export interface MemoryRecord {
  readonly id: string;
  readonly idKey: string;
  readonly idText: string;
  readonly kind: string;
  readonly sessionKey: string | null;
  readonly time: number | null;
  readonly text: string;
}

/** The records of entries; texts encoded. */
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

/** The id of an entry or of a session as it stands in an index. */
export const toIdKey: (id: string) => string = toEventKey;

/** The entry of a row with `seq`, `entry` and `v`. `STORE_VERSION` for one that this package cannot read. */
export async function fromMemoryRow(codec: TextCodec | undefined, row: Row): Promise<StoredMemory> {
  assertVersion(row['v'], 'A memory entry');
  const text = decodeText(codec, columnText(row['entry']));
  return { seq: Number(row['seq']), entry: JSON.parse(typeof text === 'string' ? text : await text) as MemoryEntry };
}

/** The id in a row's `entry_id`. */
export function readEntryId(row: Row): string {
  return JSON.parse(columnText(row['entry_id'])) as string;
}

/** `STORE_VERSION` for a record of another version than 1. */
export function assertVersion(v: unknown, what: string): void {
  if (Number(v) === 1) return;
  throw new TholeError('STORE_VERSION', `${what} is of version ${Number(v)}; this package reads version 1.`);
}
