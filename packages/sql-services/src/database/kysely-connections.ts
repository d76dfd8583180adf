import { CompiledQuery } from 'kysely';
import type { Kysely } from 'kysely';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, StatementResult } from './sql-database.ts';

/** Connections of a Kysely instance that somebody else opens and closes. Its plugins see nothing of them. */
export function kyselyConnections(kysely: Kysely<never>): ConnectionSource {
  return { acquire: () => acquire(kysely), close: async () => {} };
}

// Kysely lends a connection for the time of a callback: this one ends when the connection is given back.
function acquire(kysely: Kysely<never>): Promise<ServerConnection> {
  return new Promise((resolve, reject) => {
    const lending = kysely
      .withoutPlugins()
      .connection()
      .execute(
        (connection) =>
          new Promise<void>((giveBack) => {
            resolve({
              async run({ sql, parameters }): Promise<StatementResult> {
                const answer = await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]));
                const { numAffectedRows, insertId, rows } = answer;
                return {
                  rows: rows as Row[],
                  changes: Number(numAffectedRows ?? rows.length),
                  ...(insertId !== undefined && { insertId: Number(insertId) }),
                };
              },
              release: giveBack,
              destroy: giveBack,
            });
          }),
      );
    lending.catch(reject);
  });
}
