import type { SqlValue } from './sql-database.ts';
import type { SqliteWorker, WorkerStatement } from './sqlite-worker.ts';

/** Target duration of a transaction in milliseconds. The number of rows of the next transaction is adjusted to it. */
const TARGET_MS = 25;
const MAX_ROWS = 65_536;

/** Runs statements in a transaction, as `SqliteWorker` does. */
export type Transact = SqliteWorker['transact'];

/** Returns the start of the names of the tables that exist only during a rewrite. */
function temporaryPrefix(tablePrefix: string): string {
  return `${tablePrefix}erasing_text_`;
}

/** Returns the statement that makes `rewriteTables` due, also in a later process. */
export function markRewriteDue(tablePrefix: string): string {
  return `CREATE TABLE IF NOT EXISTS ${temporaryPrefix(tablePrefix)}due (x)`;
}

/** Query for the temporary tables of a rewrite that is due or has not ended. `parseTemporaryPrefix` parses their names. */
export const FIND_TEMPORARY = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '*erasing_text_*'`;

/** Returns the prefix of the tables that a temporary table belongs to. Returns undefined for other tables. */
export function parseTemporaryPrefix(name: string): string | undefined {
  return /^([a-z0-9_]*)erasing_text_(due|[0-9a-z]{8}(_\d+(_old)?)?)$/.exec(name)?.[1];
}

/**
 * Rewrites the tables with this prefix, so that their pages contain no copies of deleted text. Each table is copied in short
 * transactions, while triggers repeat all writes in the copy. The copy then replaces the table, and `secure_delete`
 * overwrites the pages of the old one. Other tables are not changed. If a rewrite does not end, the tables stay valid, and
 * the next rewrite removes its copy. Does nothing if no rewrite is due. `id` is a unique text of eight digits or lower-case
 * letters.
 */
export async function rewriteTables(transact: Transact, tablePrefix: string, id: string): Promise<void> {
  const temporary = temporaryPrefix(tablePrefix);
  const select = async (sql: string, ...parameters: SqlValue[]): Promise<string[]> =>
    (await transact([{ sql, parameters }])).rows.map(({ name }) => String(name));
  const unfinished = await select('SELECT name FROM sqlite_schema WHERE name GLOB ?', `${temporary}*`);
  if (unfinished.length === 0) return;
  const run = temporary + id;
  // From here on, a deletion makes the next rewrite due. If the process ends before this rewrite, the table `run` makes it
  // due.
  await transact([{ sql: `CREATE TABLE ${run} (x)` }, { sql: `DROP TABLE IF EXISTS ${temporary}due` }]);
  const selectOthers = `SELECT name FROM sqlite_schema WHERE type = ? AND name GLOB ? AND name <> ?`;
  const triggers = await select(selectOthers, 'trigger', `${temporary}*`, run);
  await transact(triggers.map((name) => ({ sql: `DROP TRIGGER IF EXISTS ${name}` })));
  for (const name of await select(selectOthers, 'table', `${temporary}*`, run)) await dropInParts(transact, name);
  const tables = `SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name GLOB ? AND name NOT GLOB ? ORDER BY name`;
  for (const [i, name] of (await select(tables, `${tablePrefix}*`, `${temporary}*`)).entries()) {
    await rewriteTable(transact, name, `${run}_${i}`);
  }
  await transact([{ sql: `DROP TABLE ${run}` }]);
}

/** Query for the definition of a table: its own SQL, its indexes, and triggers of other software. */
const DEFINITION = `SELECT json_group_array(json_array(type, name, sql)) AS parts FROM (SELECT * FROM sqlite_schema
  WHERE tbl_name = ? AND sql IS NOT NULL AND name NOT GLOB ? ORDER BY name)`;

async function rewriteTable(transact: Transact, table: string, copy: string): Promise<void> {
  const definitionParameters = [table, `${copy}_*`];
  const stored = await transact([{ sql: DEFINITION, parameters: definitionParameters }]);
  const definition = String(stored.rows[0]!['parts']);
  const parts = JSON.parse(definition) as [type: string, name: string, sql: string][];
  const sql = parts.find(([type]) => type === 'table')![2];
  const attached = parts.filter(([type]) => type !== 'table');
  // A migration may change the table at any time. Then this rewrite fails, and the next one starts again.
  const assertUnchanged = {
    sql: `SELECT 1 WHERE (${DEFINITION}) = ?`,
    parameters: [...definitionParameters, definition],
    mustFind: true,
  };
  const info = await transact([{ sql: 'SELECT name FROM pragma_table_info(?)', parameters: [table] }]);
  const names = info.rows.map(({ name }) => quote(String(name)));
  // Row ids stay the same. An integer primary key is the row id.
  const columns = /integer primary key/i.test(sql) ? names : ['rowid', ...names];

  const create = { sql: `CREATE TABLE ${copy} ${sql.slice(sql.indexOf('('))}` };
  await transact([assertUnchanged, create, ...repeatWrites(table, copy, columns)]);
  await copyRows(transact, table, copy, columns.join(', '));
  const statements = [
    ...['insert', 'update', 'delete'].map((event) => `DROP TRIGGER ${copy}_${event}`),
    ...attached.map(([type, name]) => `DROP ${type} ${quote(name)}`),
    `ALTER TABLE ${table} RENAME TO ${copy}_old`,
    `ALTER TABLE ${copy} RENAME TO ${table}`,
    ...attached.map((part) => part[2]),
    ...(/autoincrement/i.test(sql) ? moveSequence(`${copy}_old`, table) : []),
  ];
  await transact([assertUnchanged, ...statements.map((each) => ({ sql: each }))]);
  await dropInParts(transact, `${copy}_old`);
}

/** Returns statements that create triggers. These repeat all writes of a table in its copy. */
function repeatWrites(table: string, copy: string, columns: readonly string[]): WorkerStatement[] {
  const values = columns.map((column) => `new.${column}`).join(', ');
  const insert = `INSERT INTO ${copy} (${columns.join(', ')}) VALUES (${values});`;
  const remove = `DELETE FROM ${copy} WHERE rowid = old.rowid;`;
  const actions = { insert, update: `${remove} ${insert}`, delete: remove };
  return Object.entries(actions).map(([event, steps]) => ({
    sql: `CREATE TRIGGER ${copy}_${event} AFTER ${event} ON ${table} BEGIN ${steps} END`,
  }));
}

/** Copies all rows in the order of their row ids. Keeps rows that a trigger has copied. */
async function copyRows(transact: Transact, table: string, copy: string, columns: string): Promise<void> {
  const from = `FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  let after = Number.MIN_SAFE_INTEGER;
  for (let count = 64; ;) {
    const { rows, ms } = await transact([
      { sql: `INSERT OR IGNORE INTO ${copy} (${columns}) SELECT ${columns} ${from}`, parameters: [after, count] },
      { sql: `SELECT max(rowid) AS last, count(*) AS found FROM (SELECT rowid ${from})`, parameters: [after, count] },
    ]);
    // Triggers have copied all later rows.
    if (Number(rows[0]!['found']) < count) return;
    after = Number(rows[0]!['last']);
    count = nextCount(count, ms);
  }
}

/** Drops a table in short transactions. Dropping it at once would overwrite its pages in one long transaction. */
async function dropInParts(transact: Transact, table: string): Promise<void> {
  const remove = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} ORDER BY rowid LIMIT ?)`;
  for (let count = 64; ;) {
    const { rows, ms } = await transact([
      { sql: remove, parameters: [count] },
      { sql: `SELECT 1 FROM ${table} LIMIT 1` },
    ]);
    if (rows.length === 0) break;
    count = nextCount(count, ms);
  }
  await transact([{ sql: `DROP TABLE ${table}` }]);
}

/** Returns statements after which the table `to` continues the row ids of the table `from`. */
function moveSequence(from: string, to: string): string[] {
  return [
    `DELETE FROM sqlite_sequence WHERE name = '${to}'`,
    `UPDATE sqlite_sequence SET name = '${to}' WHERE name = '${from}'`,
  ];
}

function nextCount(count: number, ms: number): number {
  if (ms > TARGET_MS) return Math.max(1, count >> 1);
  return ms < TARGET_MS / 3 ? Math.min(MAX_ROWS, count * 2) : count;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
