import type { SqlDialect } from './sql-database.ts';

/** Names of the tables of `SqlDeliveryStore`. */
export interface DeliveryTables {
  inbound: string;
  outbound: string;
}

/**
 * Returns the statements that create the tables and their indexes. `seq` orders the rows. A finished row has no content, and
 * stays for weeks, so the few unfinished rows and the row of a report need an index. MySQL creates an index only with its
 * table.
 */
export function createDeliveryTables({ inbound, outbound }: DeliveryTables, dialect: SqlDialect): string[] {
  const { double, id, key, text, word, options } = types[dialect];
  const inline = (...columns: string[]): string =>
    dialect === 'mysql' ? columns.map((column) => `, INDEX (${column})`).join('') : '';
  const indexOf = (table: string, column: string): string =>
    `CREATE INDEX IF NOT EXISTS ${table}_${column} ON ${table} (${column})`;
  const tables = [
    `CREATE TABLE IF NOT EXISTS ${inbound} (seq ${id}, message_key ${key} NOT NULL UNIQUE, user_id ${word} NOT NULL,
      channel ${word} NOT NULL, sender ${key} NOT NULL, content ${text}, batch_id ${word}, interrupt_id ${key},
      received_at ${double} NOT NULL, finished_at ${double}${inline('finished_at')})${options}`,
    `CREATE TABLE IF NOT EXISTS ${outbound} (seq ${id}, delivery_key ${key} NOT NULL UNIQUE, user_id ${word} NOT NULL,
      channel ${word} NOT NULL, content ${text}, attempts INTEGER NOT NULL, created_at ${double} NOT NULL,
      status ${word} NOT NULL, ended_at ${double}, receipt_id ${key}, reason ${key}${inline('ended_at', 'receipt_id')})${options}`,
  ];
  if (dialect === 'mysql') return tables;
  return [...tables, indexOf(inbound, 'finished_at'), indexOf(outbound, 'ended_at'), indexOf(outbound, 'receipt_id')];
}

interface ColumnTypes {
  id: string;
  /** Up to 512 bytes, compared byte by byte. */
  key: string;
  /** Up to 80 characters. */
  word: string;
  text: string;
  double: string;
  options: string;
}

const types: { readonly [dialect in SqlDialect]: ColumnTypes } = {
  sqlite: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    ...{ key: 'TEXT', word: 'TEXT', text: 'TEXT', double: 'REAL', options: '' },
  },
  postgresql: {
    id: 'BIGSERIAL PRIMARY KEY',
    ...{ key: 'TEXT COLLATE "C"', word: 'TEXT COLLATE "C"', text: 'TEXT', double: 'DOUBLE PRECISION', options: '' },
  },
  mysql: {
    id: 'BIGINT AUTO_INCREMENT PRIMARY KEY',
    ...{ key: 'VARCHAR(512)', word: 'VARCHAR(80)', text: 'LONGTEXT', double: 'DOUBLE' },
    options: ' DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  },
};
