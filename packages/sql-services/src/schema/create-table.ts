import { DummyDriver, Kysely, SqliteIntrospector, sql } from 'kysely';
import type { CreateTableBuilder } from 'kysely';
import type { Statement } from '../client/sql-database.ts';
import type { ColumnTypes, Dialect } from '../dialects/dialect.ts';
import type { Table } from './tables.ts';

/** Where tables are made. */
export interface TableLocation {
  readonly dialect: Dialect;
  readonly prefix: string;
  readonly schema: string | undefined;
}

type TableBuilder = CreateTableBuilder<string, string>;

/** The statements that make a table and its indexes where they are not there; each may be repeated. */
export function createTable(table: Table, place: TableLocation): Statement[] {
  const { dialect, prefix, schema } = place;
  const compiler = compilerOf(dialect);
  const builder = (schema === undefined ? compiler : compiler.withSchema(schema)).schema;
  const statement = (made: { compile(): { sql: string } }): Statement => ({ sql: made.compile().sql, parameters: [] });
  const named = (constraint: string): string => prefix + constraint;

  let making = builder.createTable(prefix + table.name).ifNotExists() as TableBuilder;
  for (const [name, kind] of Object.entries(table.columns)) {
    const isOptional = kind.endsWith('?');
    const type = dialect.types[kind.replace('?', '') as keyof ColumnTypes];
    const isKey = kind === 'rowId';
    making = making.addColumn(name, sql.raw(type), (column) => (isOptional || isKey ? column : column.notNull()));
  }
  if (table.primaryKey) making = making.addPrimaryKeyConstraint(named(`${table.name}_key`), [...table.primaryKey]);
  for (const [name, columns] of Object.entries(table.unique ?? {})) {
    making = making.addUniqueConstraint(named(name), [...columns]);
  }
  const indexes = Object.entries(table.indexes ?? {});
  if (dialect.indexesInTable) {
    for (const [name, columns] of indexes) making = making.addIndex(named(name), [...columns]);
    return [statement(making.modifyEnd(sql.raw(dialect.types.tableEnd)))];
  }
  return [
    statement(making),
    ...indexes.map(([name, columns]) =>
      statement(
        builder
          .createIndex(named(name))
          .ifNotExists()
          .on(prefix + table.name)
          .columns([...columns]),
      ),
    ),
  ];
}

/** Kysely for writing statements alone: they are run by whoever holds the connection. */
function compilerOf(dialect: Dialect): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
}
