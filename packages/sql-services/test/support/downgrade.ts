/** Returns the statements that change tables of the current version to those of an earlier version. */
export function downgradeStatements(tablePrefix: string, version: 1 | 2 | 3): string[] {
  const table = (name: string): string => `${tablePrefix}${name}`;
  const toVersion3 = [
    `DROP TABLE ${table('credentials')}`,
    `UPDATE ${table('meta')} SET content = '${version}' WHERE item = 'schema version'`,
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
