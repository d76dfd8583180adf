import { DummyDriver, Kysely, SqliteIntrospector, sql } from 'kysely';
import type { CreateTableBuilder } from 'kysely';
import type { Statement } from '../client/sql-database.ts';
import type { ColumnTypes, Dialect } from '../dialects/dialect.ts';
import type { ColumnKind, PartialIndex, Table } from './tables.ts';

/** The database, prefix and schema of tables. */
export interface TableLocation {
  readonly dialect: Dialect;
  readonly prefix: string;
  readonly schema: string | undefined;
}

type TableBuilder = CreateTableBuilder<string, string>;

/** Returns the statements that create a table and its indexes if they do not exist. */
export function createTable(table: Table, location: TableLocation): Statement[] {
  const { dialect, prefix } = location;
  const builder = schemaBuilder(location);
  const toStatement = (node: { compile(): { sql: string } }): Statement => ({
    sql: node.compile().sql,
    parameters: [],
  });
  const withPrefix = (name: string): string => prefix + name;

  let createStatement = builder.createTable(withPrefix(table.name)).ifNotExists() as TableBuilder;
  for (const [name, kind] of Object.entries(table.columns)) {
    const allowsNull = kind.endsWith('?') || kind === 'rowId';
    createStatement = createStatement.addColumn(name, sql.raw(columnType(dialect, kind)), (column) =>
      allowsNull ? column : column.notNull(),
    );
  }
  if (table.primaryKey) {
    createStatement = createStatement.addPrimaryKeyConstraint(withPrefix(`${table.name}_key`), [...table.primaryKey]);
  }
  for (const [name, columns] of Object.entries(table.unique ?? {})) {
    createStatement = createStatement.addUniqueConstraint(withPrefix(name), [...columns]);
  }
  const indexes = Object.entries(table.indexes ?? {});
  if (dialect.indexesInTable) {
    for (const [name, columns] of indexes) createStatement = createStatement.addIndex(withPrefix(name), [...columns]);
    return [toStatement(createStatement.modifyEnd(sql.raw(dialect.types.tableEnd)))];
  }
  return [
    toStatement(createStatement),
    ...indexes.map(([name, columns]) =>
      toStatement(
        builder
          .createIndex(withPrefix(name))
          .ifNotExists()
          .on(withPrefix(table.name))
          .columns([...columns]),
      ),
    ),
  ];
}

/** Returns the statement that creates an index of an existing table. After a failed migration, MariaDB may have it already. */
export function createPartialIndex(table: string, index: PartialIndex, location: TableLocation): Statement {
  const { dialect, prefix } = location;
  const builder = schemaBuilder(location)
    .createIndex(prefix + index.name)
    .on(prefix + table);
  const createStatement = dialect.hasPartialIndexes
    ? builder.columns([...index.columns]).where(sql.raw(index.where) as never)
    : builder.columns([...index.allRowsColumns]);
  return { sql: createStatement.compile().sql, parameters: [] };
}

/** Returns the SQL type of a column. */
export function columnType(dialect: Dialect, kind: ColumnKind): string {
  return dialect.types[kind.replace('?', '') as keyof ColumnTypes];
}

/** Kysely compiles these statements. `SqlDatabase` runs them. */
function schemaBuilder({ dialect, schema }: TableLocation): Kysely<unknown>['schema'] {
  const compiler = new Kysely<unknown>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
  return (schema === undefined ? compiler : compiler.withSchema(schema)).schema;
}
