import type { Statement } from '../client/sql-database.ts';
import type { ColumnTypes, Dialect } from '../dialects/dialect.ts';
import type { ColumnKind, PartialIndex, Table } from './tables.ts';

/** The database, prefix and schema of tables. */
export interface TableLocation {
  readonly dialect: Dialect;
  readonly prefix: string;
  readonly schema: string | undefined;
}

/** Returns the statements that create a table and its indexes if they do not exist. */
export function createTable(table: Table, location: TableLocation): Statement[] {
  const { dialect } = location;
  const { list, name, tableName } = namesOf(location);
  const columns = Object.entries(table.columns).map(([column, kind]) => {
    const allowsNull = kind.endsWith('?') || kind === 'rowId';
    return `${dialect.quote(column)} ${columnType(dialect, kind)}${allowsNull ? '' : ' not null'}`;
  });
  const { primaryKey, unique = {} } = table;
  const key = primaryKey ? [`constraint ${name(`${table.name}_key`)} primary key ${list(primaryKey)}`] : [];
  const constraints = Object.entries(unique).map(([each, of]) => `constraint ${name(each)} unique ${list(of)}`);
  const indexes = Object.entries(table.indexes ?? {});
  const inTable = dialect.indexesInTable ? indexes.map(([each, of]) => `index ${name(each)} ${list(of)}`) : [];
  const parts = [...columns, ...key, ...constraints, ...inTable].join(', ');
  const end = dialect.types.tableEnd;
  return [
    toStatement(`create table if not exists ${tableName(table.name)} (${parts})${end && ` ${end}`}`),
    ...(dialect.indexesInTable ? [] : indexes).map(([each, of]) =>
      toStatement(`create index if not exists ${name(each)} on ${tableName(table.name)} ${list(of)}`),
    ),
  ];
}

/** Returns the statement that creates an index of an existing table. After a failed migration, MariaDB may have it already. */
export function createPartialIndex(table: string, index: PartialIndex, location: TableLocation): Statement {
  const { list, name, tableName } = namesOf(location);
  const rows = location.dialect.hasPartialIndexes
    ? `${list(index.columns)} where ${index.where}`
    : list(index.allRowsColumns);
  return toStatement(`create index ${name(index.name)} on ${tableName(table)} ${rows}`);
}

/** Returns the SQL type of a column. */
export function columnType(dialect: Dialect, kind: ColumnKind): string {
  return dialect.types[kind.replace('?', '') as keyof ColumnTypes];
}

/** Functions that return quoted names: a name with prefix, a table's name with schema, and a list of columns. */
function namesOf({ dialect, prefix, schema }: TableLocation) {
  const name = (each: string): string => dialect.quote(prefix + each);
  return {
    name,
    tableName: (table: string): string => (schema === undefined ? '' : `${dialect.quote(schema)}.`) + name(table),
    list: (columns: readonly string[]): string => `(${columns.map((each) => dialect.quote(each)).join(', ')})`,
  };
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] };
}
