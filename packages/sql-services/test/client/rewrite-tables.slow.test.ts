import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markRewriteDue, parseTemporaryPrefix, rewriteTables } from '../../src/client/rewrite-tables.ts';
import type { Transact } from '../../src/client/rewrite-tables.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ROWS = 300;

/** Tables with every kind of key that the package uses, and a table and a view of other software. */
const TABLES = `CREATE TABLE t_rows (a text not null, b integer not null, content text, constraint t_rows_key primary key (a, b));
  CREATE TABLE t_numbered (row_id integer primary key autoincrement, content text);
  CREATE INDEX t_numbered_content ON t_numbered (content) WHERE content IS NOT NULL;
  CREATE TABLE other (content text); CREATE VIEW other_view AS SELECT content FROM t_rows`;

function createFile(): { file: DatabaseSync; path: string } {
  const { path } = files.next();
  const file = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  onTestFinished(() => file.close());
  file.exec(`PRAGMA secure_delete = ON; PRAGMA legacy_alter_table = ON; PRAGMA synchronous = OFF; ${TABLES}`);
  const rows = file.prepare('INSERT INTO t_rows VALUES (?, ?, ?)');
  const numbered = file.prepare('INSERT INTO t_numbered (content) VALUES (?)');
  const other = file.prepare('INSERT INTO other VALUES (?)');
  for (let i = 0; i < ROWS; i++) {
    for (const insert of [numbered, other]) insert.run(`DELETED-${i}-`);
    rows.run('a', i, `DELETED-${i}-`);
  }
  file.exec(
    'DELETE FROM t_numbered WHERE row_id = (SELECT max(row_id) FROM t_numbered); DELETE FROM other WHERE rowid % 2',
  );
  return { file, path };
}

/** Returns a function that runs transactions and calls `after` after each one with its number. */
function createTransact(file: DatabaseSync, after: (count: number) => void): Transact {
  let count = 0;
  return async (statements) => {
    let rows: { [column: string]: unknown }[] = [];
    file.exec('BEGIN IMMEDIATE');
    try {
      for (const { sql, parameters = [], mustFind } of statements) {
        rows = file.prepare(sql).all(...parameters);
        if (mustFind && rows.length === 0) throw new Error('changed');
      }
      file.exec('COMMIT');
    } catch (error) {
      file.exec('ROLLBACK');
      throw error;
    }
    after(count++);
    // A long duration, so that each transaction has few rows.
    return { rows, ms: 10 };
  };
}

const contentOf = (file: DatabaseSync): unknown =>
  ['t_rows', 't_numbered', 'other'].map((table) => file.prepare(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all());
const definitionOf = (file: DatabaseSync): unknown =>
  file
    .prepare('SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type, name')
    .all()
    .map((row) => Object.values(row).join(' '));

/** Writes the same rows to all tables of the files. */
function writeBoth(both: readonly DatabaseSync[], i: number): void {
  for (const file of both) {
    file.exec(`INSERT INTO t_rows VALUES ('b', ${i}, 'new ${i}');
      INSERT INTO t_numbered (content) VALUES ('new ${i}');
      UPDATE t_rows SET content = content || '${'y'.repeat(i * 7)}' WHERE b % 7 = ${i % 7};
      UPDATE t_numbered SET content = NULL WHERE row_id % 11 = ${i % 11};
      INSERT INTO t_rows VALUES ('a', 0, 'again') ON CONFLICT (a, b) DO UPDATE SET content = excluded.content;
      DELETE FROM t_rows WHERE b = ${i * 13}; DELETE FROM t_numbered WHERE row_id = ${i * 17}`);
  }
}

describe('rewriteTables', () => {
  it('keeps rows, row ids, indexes and other tables during writes', async () => {
    const [{ file }, { file: expected }] = [createFile(), createFile()];
    const before = definitionOf(file);
    file.exec(markRewriteDue('t_'));
    let writes = 0;
    await rewriteTables(
      createTransact(file, (count) => {
        writeBoth([file, expected], count);
        writes++;
      }),
      't_',
      '0000000a',
    );
    expect(writes).toBeGreaterThan(20);
    expect(contentOf(file)).toEqual(contentOf(expected));
    expect(definitionOf(file)).toEqual(before);
    for (const each of [file, expected]) each.exec(`INSERT INTO t_numbered (content) VALUES ('last')`);
    expect(contentOf(file)).toEqual(contentOf(expected));
    expect(file.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  it('leaves valid tables when it stops after any transaction, and the next rewrite completes it', async () => {
    const { file: plain } = createFile();
    let total = 0;
    plain.exec(markRewriteDue('t_'));
    await rewriteTables(
      createTransact(plain, () => void total++),
      't_',
      '0000000a',
    );
    const [{ file }, { file: expected }] = [createFile(), createFile()];
    const before = definitionOf(file);
    for (let stop = 0; stop < total; stop += 3) {
      file.exec(markRewriteDue('t_'));
      const stopping = createTransact(file, (count) => {
        if (count === stop) throw new Error('stopped');
      });
      await expect(rewriteTables(stopping, 't_', String(stop).padStart(8, '0'))).rejects.toThrow('stopped');
      writeBoth([file, expected], stop);
      expect(contentOf(file)).toEqual(contentOf(expected));
      const [{ name }] = file.prepare(`SELECT name FROM sqlite_schema WHERE name GLOB '*erasing_text_*'`).all() as [
        { name: string },
      ];
      expect(parseTemporaryPrefix(name)).toBe('t_');
    }
    await rewriteTables(
      createTransact(file, () => {}),
      't_',
      '0000000b',
    );
    expect(definitionOf(file)).toEqual(before);
    expect(contentOf(file)).toEqual(contentOf(expected));
  });

  it('leaves no byte of text that was deleted before', async () => {
    const { file, path } = createFile();
    file.exec(`UPDATE t_rows SET content = content || hex(zeroblob(b)); DELETE FROM t_rows WHERE b % 2;
      DELETE FROM t_numbered WHERE row_id % 3 > 0; DELETE FROM other`);
    const copies = (): number => new Set(readFileSync(path, 'latin1').match(/DELETED-\d+-/g)).size;
    file.exec(`UPDATE t_rows SET content = 'kept'; UPDATE t_numbered SET content = 'kept'`);
    expect(copies()).toBeGreaterThan(0);
    file.exec(markRewriteDue('t_'));
    await rewriteTables(
      createTransact(file, () => {}),
      't_',
      '0000000a',
    );
    expect(copies()).toBe(0);
  });

  it('fails without a change when a migration changes the table meanwhile', async () => {
    const { file } = createFile();
    file.exec(markRewriteDue('t_'));
    const migrating = createTransact(file, () => {
      const [{ columns }] = file.prepare(`SELECT count(*) AS columns FROM pragma_table_info('t_numbered')`).all() as [
        { columns: number },
      ];
      const isCopying = file.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger'`).get();
      if (columns === 2 && isCopying) file.exec('ALTER TABLE t_numbered ADD COLUMN added text');
    });
    await expect(rewriteTables(migrating, 't_', '0000000a')).rejects.toThrow('changed');
    file.exec(`UPDATE t_numbered SET added = 'x'`);
    await rewriteTables(
      createTransact(file, () => {}),
      't_',
      '0000000b',
    );
    expect(file.prepare(`SELECT count(*) AS rows FROM t_numbered WHERE added = 'x'`).get()).toEqual({ rows: ROWS - 1 });
  });

  it('does nothing if no rewrite is due', async () => {
    const { file } = createFile();
    let count = 0;
    await rewriteTables(
      createTransact(file, () => void count++),
      't_',
      '0000000a',
    );
    expect(count).toBe(1);
  });
});
