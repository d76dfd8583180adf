import type { MemoryScope } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { chunksOf, paddedChunksOf, placeholders } from '../client/chunks.ts';
import { assertVersion } from './memory-records.ts';

/** The row with the counters of a user's log. */
export interface LogHead {
  readonly row: number;
  lastSeq: number;
  removals: number;
  forgottenUntil: number | undefined;
}

/** One row to append to a log. A row without an entry is a tombstone. */
export interface LogRow {
  readonly idKey: string;
  readonly idText: string;
  readonly entry?: { kind: string; sessionKey: string | null; time: number | null; text: string } | undefined;
}

/** Maximum numbers of ids, rows and characters of text in one statement. */
const [MAX_IDS, MAX_ROWS, MAX_TEXT] = [512, 256, 2_000_000];

const HEAD_COLUMNS = 'row_id, last_seq, removals, forgotten_until, v';
const ROW_COLUMNS = 'scope_row, seq, id_key, entry_id, kind, session_key, entry_time, entry, v, write_id';

/** The steps of reads and writes of a user's log. A write locks the row of the head until its transaction ends. */
export class MemoryLog {
  readonly dialect: Dialect;
  readonly tables: TableNames;

  constructor(dialect: Dialect, tables: TableNames) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** Returns the parameters of app and user. */
  bindNames({ appName, userId }: MemoryScope): SqlValue[] {
    return [appName, userId].map(this.dialect.bindName);
  }

  /** Returns the head of a user's log, or undefined if there is no log. */
  *readHead(scope: MemoryScope, { lock }: { lock: boolean }): Steps<LogHead | undefined> {
    const lockClause = lock ? this.dialect.forUpdate : '';
    const sql = `SELECT ${HEAD_COLUMNS} FROM ${this.tables.memoryScopes} WHERE app_name = ? AND user_id = ?${lockClause}`;
    const { rows } = yield this.#statement(sql, this.bindNames(scope));
    return rows[0] && toLogHead(rows[0]);
  }

  /** Locks the head. Creates the log if there is none. If two transactions create it, one violates the unique key. */
  *lockHead(scope: MemoryScope): Steps<LogHead> {
    const found = yield* this.readHead(scope, { lock: true });
    if (found) return found;
    const columns = 'app_name, user_id, last_seq, removals, forgotten_until, v';
    const insert = `INSERT INTO ${this.tables.memoryScopes} (${columns}) VALUES (?, ?, 0, 0, NULL, 1)`;
    yield this.#statement(insert, this.bindNames(scope));
    return (yield* this.readHead(scope, { lock: true }))!;
  }

  *writeHead({ row, lastSeq, removals, forgottenUntil }: LogHead): Steps<void> {
    const sql = `UPDATE ${this.tables.memoryScopes} SET last_seq = ?, removals = ?, forgotten_until = ? WHERE row_id = ?`;
    yield this.#statement(sql, [lastSeq, removals, forgottenUntil ?? null, row]);
  }

  /** Returns the rows with these ids: their `seq`, and whether they are entries or tombstones. */
  *findRows(row: number, idKeys: readonly string[]): Steps<Map<string, { seq: number; isEntry: boolean }>> {
    const found = new Map<string, { seq: number; isEntry: boolean }>();
    for (const chunk of paddedChunksOf(idKeys, MAX_IDS)) {
      const sql = `SELECT id_key, seq, CASE WHEN kind IS NULL THEN 0 ELSE 1 END AS is_entry
        FROM ${this.tables.memoryEntries} WHERE scope_row = ? AND id_key IN (${placeholders(chunk.length)})`;
      const { rows } = yield this.#statement(sql, [row, ...chunk]);
      for (const each of rows) {
        found.set(columnText(each['id_key']), { seq: Number(each['seq']), isEntry: Number(each['is_entry']) === 1 });
      }
    }
    return found;
  }

  /** Deletes rows by `seq`. */
  *remove(row: number, seqs: readonly number[]): Steps<void> {
    for (const chunk of paddedChunksOf(seqs, MAX_IDS)) {
      const sql = `DELETE FROM ${this.tables.memoryEntries} WHERE scope_row = ? AND seq IN (${placeholders(chunk.length)})`;
      yield this.#statement(sql, [row, ...chunk]);
    }
  }

  /** Appends rows with the next values of `seq`. `writeId` is a random id of this write. */
  *append(head: LogHead, newRows: readonly LogRow[], writeId: string): Steps<void> {
    for (const chunk of chunksByText(newRows)) {
      const values = chunk.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, 1, ?)').join(', ');
      const sql = `INSERT INTO ${this.tables.memoryEntries} (${ROW_COLUMNS}) VALUES ${values}`;
      const parameters = chunk.flatMap(({ idKey, idText, entry }): SqlValue[] => [
        ...[head.row, ++head.lastSeq, idKey, idText],
        ...(entry ? [entry.kind, entry.sessionKey, entry.time, entry.text] : [null, null, null, null]),
        writeId,
      ]);
      yield this.#statement(sql, parameters);
    }
  }

  #statement(sql: string, parameters: readonly SqlValue[]): { sql: string; parameters: readonly SqlValue[] } {
    return { sql: this.dialect.statement(sql), parameters };
  }
}

function toLogHead(row: Row): LogHead {
  assertVersion(row['v'], 'A memory log');
  const until = row['forgotten_until'];
  return {
    row: Number(row['row_id']),
    lastSeq: Number(row['last_seq']),
    removals: Number(row['removals']),
    forgottenUntil: until === null || until === undefined ? undefined : Number(until),
  };
}

// Servers also limit the size of a statement.
function* chunksByText(newRows: readonly LogRow[]): Generator<readonly LogRow[]> {
  for (let start = 0; start < newRows.length;) {
    let end = start;
    for (let size = 0; end < newRows.length && (end === start || size < MAX_TEXT); end++) {
      size += newRows[end]!.entry?.text.length ?? 0;
    }
    yield* chunksOf(newRows.slice(start, end), MAX_ROWS);
    start = end;
  }
}
