import type { IdentityDocument } from '../identity/identity-document.ts';
import { StoredIdentityStore } from '../identity/stored-identity-store.ts';
import { columnNumber, columnText, readTablePrefix, SqlTables } from './sql-database.ts';
import type { SqlDialect, SqlStoreOptions } from './sql-database.ts';

/** Stores users in an SQL database. Several processes may use it at the same time. */
export class SqlIdentityStore extends StoredIdentityStore {
  readonly #tables: SqlTables;

  constructor(options: SqlStoreOptions) {
    const table = `${readTablePrefix(options, 'SqlIdentityStore')}channel_identities`;
    const tables = new SqlTables(options, (dialect) => [createTable(table, dialect)]);
    super(sqlDocument(tables, table), { runtime: options.runtime });
    this.#tables = tables;
  }

  /** Closes the database. */
  close(): Promise<void> {
    return this.#tables.close();
  }
}

/** Returns a document in one row, whose version changes with each write. */
function sqlDocument(tables: SqlTables, table: string): IdentityDocument {
  return {
    read: async () => {
      const { rows } = await tables.run(`SELECT version, content FROM ${table} WHERE id = 1`);
      const [row] = rows;
      if (!row) return { text: undefined, version: '0' };
      return { text: columnText(row['content']), version: String(columnNumber(row['version'])) };
    },
    replace: async (text, version) => {
      if (version === '0') {
        const insert = insertNew(tables.dialect, table);
        return (await tables.run(insert, [text])).changes === 1;
      }
      const update = `UPDATE ${table} SET content = ?, version = version + 1 WHERE id = 1 AND version = ?`;
      return (await tables.run(update, [text, Number(version)])).changes === 1;
    },
  };
}

function insertNew(dialect: SqlDialect, table: string): string {
  const values = `INTO ${table} (id, version, content) VALUES (1, 1, ?)`;
  return dialect === 'mysql' ? `INSERT IGNORE ${values}` : `INSERT ${values} ON CONFLICT DO NOTHING`;
}

function createTable(table: string, dialect: SqlDialect): string {
  const content = dialect === 'mysql' ? 'LONGTEXT CHARACTER SET utf8mb4' : 'TEXT';
  return `CREATE TABLE IF NOT EXISTS ${table} (id INTEGER NOT NULL PRIMARY KEY, version BIGINT NOT NULL, content ${content} NOT NULL)`;
}
