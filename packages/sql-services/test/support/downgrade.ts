/**
 * Returns the statements that change tables of the current version to those of an earlier version. `indexesOfTables`: true if
 * the name of an index is unique in its table only (MariaDB).
 */
export function downgradeStatements(
  tablePrefix: string,
  version: 1 | 2 | 3 | 4,
  { indexesOfTables = false }: { indexesOfTables?: boolean } = {},
): string[] {
  const table = (name: string): string => `${tablePrefix}${name}`;
  const end = indexesOfTables ? ` ON ${table('sessions')}` : '';
  const toVersion4 = [
    `ALTER TABLE ${table('memory_entries')} DROP COLUMN write_id`,
    `UPDATE ${table('meta')} SET content = '${version}' WHERE item = 'schema version'`,
  ];
  if (version === 4) return toVersion4;
  const toVersion3 = [
    ...toVersion4,
    ...['unfinished', 'due', 'interrupts'].map((kind) => `DROP INDEX ${table(`sessions_${kind}`)}${end}`),
    `ALTER TABLE ${table('sessions')} DROP COLUMN forked_from`,
    `DROP TABLE ${table('credentials')}`,
  ];
  if (version === 3) return toVersion3;
  return [
    ...toVersion3,
    ...['unfinished', 'wake_at', 'open_interrupts'].map(
      (column) => `ALTER TABLE ${table('sessions')} DROP COLUMN ${column}`,
    ),
    `DROP TABLE ${table('lease_waiters')}`,
    `CREATE TABLE ${table('lease_waiters')} (ticket integer, goes_first integer)`,
    ...(version === 1 ? ['scopes', 'entries', 'segments'].map((name) => `DROP TABLE ${table(`memory_${name}`)}`) : []),
  ];
}
