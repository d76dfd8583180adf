import type { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';

/** Returns a Kysely instance on a connection of `node:sqlite`. `onPrepare` receives each statement. */
export function kyselySqlite(database: DatabaseSync, onPrepare: (sql: string) => void = () => {}): Kysely<never> {
  return new Kysely<never>({
    dialect: new SqliteDialect({
      database: {
        close() {},
        prepare(sql) {
          onPrepare(sql);
          const statement = database.prepare(sql);
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...(parameters as never[])),
            run: (parameters) => statement.run(...(parameters as never[])) as never,
            iterate: (parameters) => statement.iterate(...(parameters as never[])),
          };
        },
      },
    }),
  });
}
