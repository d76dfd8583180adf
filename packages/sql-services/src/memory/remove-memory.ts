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

/** Puts tombstones in the place of entries, and takes the segments that may hold something of them. Answers how many went. */
export function* removeMemorySteps(
  log: MemoryLog,
  scope: MemoryScope,
  what: MemoryRemoval,
  now: number,
): Steps<number> {
  const isAll = what === 'everything';
  const head = isAll ? yield* log.lockHead(scope) : yield* log.head(scope, { toWrite: true });
  if (!head) return 0;
  const doomed = yield* findRowsToRemove(log, head, what);
  if (isAll) head.forgottenUntil = Math.max(head.forgottenUntil ?? -Infinity, now);
  else if (doomed.length === 0) return 0;
  if (doomed.length > 0) {
    // All of them: what was written twice may be in one that ends before its last number.
    const sql = `DELETE FROM ${log.tables.memorySegments} WHERE scope_row = ?`;
    yield { sql: log.dialect.statement(sql), parameters: [head.row] };
  }
  yield* log.remove(
    head.row,
    doomed.map(({ seq }) => seq),
  );
  yield* log.append(head, doomed);
  head.removals += doomed.length;
  yield* log.writeHead(head);
  return doomed.length;
}

function* findRowsToRemove(log: MemoryLog, head: LogHead, what: MemoryRemoval): Steps<RowToRemove[]> {
  if (what === 'everything') return yield* selectRows(log, 'kind IS NOT NULL', [head.row]);
  if ('sessionId' in what) return yield* selectRows(log, 'session_key = ?', [head.row, toIdKey(what.sessionId)]);
  const idsOf = new Map(what.ids.map((id) => [toIdKey(id), id]));
  const known = yield* log.findRows(head.row, [...idsOf.keys()]);
  const doomed: RowToRemove[] = [];
  for (const [idKey, id] of idsOf) {
    const line = known.get(idKey);
    if (line?.isEntry) doomed.push({ seq: line.seq, idKey, idText: JSON.stringify(id) });
  }
  return doomed;
}

function* selectRows(log: MemoryLog, which: string, parameters: readonly SqlValue[]): Steps<RowToRemove[]> {
  const sql = `SELECT seq, id_key, entry_id FROM ${log.tables.memoryEntries} WHERE scope_row = ? AND ${which} ORDER BY seq`;
  const { rows } = yield { sql: log.dialect.statement(sql), parameters };
  return rows.map((row) => ({
    seq: Number(row['seq']),
    idKey: columnText(row['id_key']),
    idText: columnText(row['entry_id']),
  }));
}
