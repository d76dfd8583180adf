import type { Kysely, QueryResult } from 'kysely';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, Statement, StatementResult } from './sql-database.ts';

/** Returns the connections of the caller's Kysely instance, without its plugins. */
export function kyselyConnections(kysely: Kysely<never>): ConnectionSource {
  return { acquire: () => acquire(kysely), close: async () => {} };
}

// Kysely provides a connection during a callback. This callback ends when the connection is released.
async function acquire(kysely: Kysely<never>): Promise<ServerConnection> {
  // Imported only here: Kysely is many modules, and only callers with an instance of it need them.
  const { CompiledQuery } = await import('kysely');
  return new Promise((resolve, reject) => {
    const executing = kysely
      .withoutPlugins()
      .connection()
      .execute(
        (connection) =>
          new Promise<void>((release) => {
            const run = async ({ sql, parameters }: Statement): Promise<StatementResult> =>
              toResult(await connection.executeQuery(CompiledQuery.raw(sql, [...parameters])));
            resolve(toServerConnection(run, release));
          }),
      );
    executing.catch(reject);
  });
}

// Kysely cannot close a connection. A destroyed connection is rolled back and released when its statement has ended.
function toServerConnection(
  execute: (statement: Statement) => Promise<StatementResult>,
  release: () => void,
): ServerConnection {
  let running: Promise<unknown> = Promise.resolve();
  let isDestroyed = false;
  return {
    async run(statement) {
      if (isDestroyed) throw new Error('The connection was released.');
      const result = execute(statement);
      running = result.catch(() => {});
      return result;
    },
    release,
    destroy() {
      isDestroyed = true;
      const rollBack = (): Promise<unknown> => execute({ sql: 'ROLLBACK', parameters: [] });
      running.then(rollBack).then(release, release);
    },
  };
}

function toResult({ numAffectedRows, insertId, rows }: QueryResult<unknown>): StatementResult {
  return {
    rows: rows as Row[],
    changes: Number(numAffectedRows ?? rows.length),
    ...(insertId !== undefined && { insertId: Number(insertId) }),
  };
}
