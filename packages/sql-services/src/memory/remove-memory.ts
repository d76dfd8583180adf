import type { MemoryRemoval, MemoryScope } from '@thole/core';
import type { SqlValue, Steps } from '../client/sql-database.ts';
import { columnText } from '../session/row-values.ts';
import type { LogHead, MemoryLog } from './memory-log.ts';
import { toIdKey } from './memory-records.ts';

interface RowToRemove {
  readonly seq: number;
  readonly idKey: string;
  readonly idText: string;
}

/** Replaces entries by tombstones, and deletes the index segments that may contain them. Returns the number of entries. */
export function* removeMemorySteps(
  log: MemoryLog,
  scope: MemoryScope,
  removal: MemoryRemoval,
  { now, writeId }: { now: number; writeId: string },
): Steps<number> {
  const isAll = removal === 'everything';
  const head = isAll ? yield* log.lockHead(scope) : yield* log.readHead(scope, { lock: true });
  if (!head) return 0;
  const rows = yield* findRowsToRemove(log, head, removal);
  if (isAll) head.forgottenUntil = Math.max(head.forgottenUntil ?? -Infinity, now);
  else if (rows.length === 0) return 0;
  if (rows.length > 0) {
    // Deletes all segments: a segment that ends before an entry's `seq` may contain an earlier version of the entry.
    const sql = `DELETE FROM ${log.tables.memorySegments} WHERE scope_row = ?`;
    yield { sql: log.dialect.statement(sql), parameters: [head.row] };
  }
  yield* log.remove(
    head.row,
    rows.map(({ seq }) => seq),
  );
  yield* log.append(head, rows, writeId);
  head.removals += rows.length;
  yield* log.writeHead(head);
  return rows.length;
}

function* findRowsToRemove(log: MemoryLog, head: LogHead, removal: MemoryRemoval): Steps<RowToRemove[]> {
  if (removal === 'everything') return yield* selectRows(log, 'kind IS NOT NULL', [head.row]);
  if ('sessionId' in removal) return yield* selectRows(log, 'session_key = ?', [head.row, toIdKey(removal.sessionId)]);
  const idsOf = new Map(removal.ids.map((id) => [toIdKey(id), id]));
  const found = yield* log.findRows(head.row, [...idsOf.keys()]);
  const rows: RowToRemove[] = [];
  for (const [idKey, id] of idsOf) {
    const row = found.get(idKey);
    if (row?.isEntry) rows.push({ seq: row.seq, idKey, idText: JSON.stringify(id) });
  }
  return rows;
}

function* selectRows(log: MemoryLog, condition: string, parameters: readonly SqlValue[]): Steps<RowToRemove[]> {
  const sql = `SELECT seq, id_key, entry_id FROM ${log.tables.memoryEntries} WHERE scope_row = ? AND ${condition} ORDER BY seq`;
  const { rows } = yield { sql: log.dialect.statement(sql), parameters };
  return rows.map((row) => ({
    seq: Number(row['seq']),
    idKey: columnText(row['id_key']),
    idText: columnText(row['entry_id']),
  }));
}
