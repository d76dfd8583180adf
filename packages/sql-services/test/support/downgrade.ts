/** Returns the statements that change tables of the current version to those of an earlier version. */
export function downgradeStatements(tablePrefix: string, version: 1 | 2): string[] {
  const table = (name: string): string => `${tablePrefix}${name}`;
  return [
    ...['unfinished', 'wake_at', 'open_interrupts'].map(
      (column) => `ALTER TABLE ${table('sessions')} DROP COLUMN ${column}`,
    ),
    `DROP TABLE ${table('lease_waiters')}`,
    `CREATE TABLE ${table('lease_waiters')} (ticket integer, goes_first integer)`,
    ...(version === 1 ? ['scopes', 'entries', 'segments'].map((name) => `DROP TABLE ${table(`memory_${name}`)}`) : []),
    `UPDATE ${table('meta')} SET content = '${version}' WHERE item = 'schema version'`,
  ];
}
