import type { MemoryScope } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { assertVersion } from './memory-records.ts';
import { paddedChunksOf, placeholders, chunksOf } from './chunks.ts';

/** The row of a user's log: what is counted there. */
export interface LogHead {
  readonly row: number;
  lastSeq: number;
  removals: number;
  forgottenUntil: number | undefined;
}

/** One line of a log to be written; without an entry it is a tombstone. */
export interface LogRow {
  readonly idKey: string;
  readonly idText: string;
  readonly entry?: { kind: string; sessionKey: string | null; time: number | null; text: string } | undefined;
}

/** How many ids a statement names, how many rows it writes, and how many characters of text. */
const [IDS_AT_ONCE, ROWS_AT_ONCE, TEXT_AT_ONCE] = [512, 256, 2_000_000];

const HEAD = 'row_id, last_seq, removals, forgotten_until, v';
const LINE = 'scope_row, seq, id_key, entry_id, kind, session_key, entry_time, entry, v';

/** The steps that all writes to a user's log are made of. Whoever writes holds the row of the head until the end. */
export class MemoryLog {
  readonly dialect: Dialect;
  readonly tables: TableNames;

  constructor(dialect: Dialect, tables: TableNames) {
    this.dialect = dialect;
    this.tables = tables;
  }

  names({ appName, userId }: MemoryScope): SqlValue[] {
    return [appName, userId].map(this.dialect.bindName);
  }

  /** Undefined for a user without a log. */
  *head(scope: MemoryScope, { toWrite }: { toWrite: boolean }): Steps<LogHead | undefined> {
    const lock = toWrite ? this.dialect.forUpdate : '';
    const sql = `SELECT ${HEAD} FROM ${this.tables.memoryScopes} WHERE app_name = ? AND user_id = ?${lock}`;
    const { rows } = yield this.#statement(sql, this.names(scope));
    return rows[0] && headOf(rows[0]);
  }

  /** Makes a log where there is none; two who do so at once break the unique key. */
  *lockHead(scope: MemoryScope): Steps<LogHead> {
    const found = yield* this.head(scope, { toWrite: true });
    if (found) return found;
    const columns = 'app_name, user_id, last_seq, removals, forgotten_until, v';
    const insert = `INSERT INTO ${this.tables.memoryScopes} (${columns}) VALUES (?, ?, 0, 0, NULL, 1)`;
    yield this.#statement(insert, this.names(scope));
    return (yield* this.head(scope, { toWrite: true }))!;
  }

  *writeHead({ row, lastSeq, removals, forgottenUntil }: LogHead): Steps<void> {
    const sql = `UPDATE ${this.tables.memoryScopes} SET last_seq = ?, removals = ?, forgotten_until = ? WHERE row_id = ?`;
    yield this.#statement(sql, [lastSeq, removals, forgottenUntil ?? null, row]);
  }

  /** Which of these ids have a line, where, and whether it is an entry. */
  *findRows(row: number, idKeys: readonly string[]): Steps<Map<string, { seq: number; isEntry: boolean }>> {
    const known = new Map<string, { seq: number; isEntry: boolean }>();
    for (const some of paddedChunksOf(idKeys, IDS_AT_ONCE)) {
      const sql = `SELECT id_key, seq, CASE WHEN kind IS NULL THEN 0 ELSE 1 END AS is_entry
        FROM ${this.tables.memoryEntries} WHERE scope_row = ? AND id_key IN (${placeholders(some.length)})`;
      const { rows } = yield this.#statement(sql, [row, ...some]);
      for (const each of rows) {
        known.set(columnText(each['id_key']), { seq: Number(each['seq']), isEntry: Number(each['is_entry']) === 1 });
      }
    }
    return known;
  }

  /** Takes lines by their number. */
  *remove(row: number, seqs: readonly number[]): Steps<void> {
    for (const some of paddedChunksOf(seqs, IDS_AT_ONCE)) {
      const sql = `DELETE FROM ${this.tables.memoryEntries} WHERE scope_row = ? AND seq IN (${placeholders(some.length)})`;
      yield this.#statement(sql, [row, ...some]);
    }
  }

  /** Writes lines under the next numbers. */
  *append(head: LogHead, lines: readonly LogRow[]): Steps<void> {
    for (const some of chunksByText(lines)) {
      const values = some.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, 1)').join(', ');
      const sql = `INSERT INTO ${this.tables.memoryEntries} (${LINE}) VALUES ${values}`;
      const parameters = some.flatMap(({ idKey, idText, entry }): SqlValue[] => [
        ...[head.row, ++head.lastSeq, idKey, idText],
        ...(entry ? [entry.kind, entry.sessionKey, entry.time, entry.text] : [null, null, null, null]),
      ]);
      yield this.#statement(sql, parameters);
    }
  }

  #statement(sql: string, parameters: readonly SqlValue[]): { sql: string; parameters: readonly SqlValue[] } {
    return { sql: this.dialect.statement(sql), parameters };
  }
}

function headOf(row: Row): LogHead {
  assertVersion(row['v'], 'A memory log');
  const until = row['forgotten_until'];
  return {
    row: Number(row['row_id']),
    lastSeq: Number(row['last_seq']),
    removals: Number(row['removals']),
    forgottenUntil: until === null || until === undefined ? undefined : Number(until),
  };
}

// Servers limit the size of a statement too.
function* chunksByText(lines: readonly LogRow[]): Generator<readonly LogRow[]> {
  for (let from = 0; from < lines.length;) {
    let to = from;
    for (let size = 0; to < lines.length && (to === from || size < TEXT_AT_ONCE); to++) {
      size += lines[to]!.entry?.text.length ?? 0;
    }
    yield* chunksOf(lines.slice(from, to), ROWS_AT_ONCE);
    from = to;
  }
}
