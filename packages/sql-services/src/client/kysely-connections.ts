import { CompiledQuery } from 'kysely';
import type { Kysely } from 'kysely';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, Statement, StatementResult } from './sql-database.ts';

/** Returns the connections of the caller's Kysely instance, without its plugins. */
export function kyselyConnections(kysely: Kysely<never>): ConnectionSource {
  return { acquire: () => acquire(kysely), close: async () => {} };
}

// Kysely provides a connection during a callback. This callback ends when the connection is released.
function acquire(kysely: Kysely<never>): Promise<ServerConnection> {
  return new Promise((resolve, reject) => {
    const executing = kysely
      .withoutPlugins()
      .connection()
      .execute((connection) => new Promise<void>((release) => resolve(toServerConnection(connection, release))));
    executing.catch(reject);
  });
}

// Kysely cannot close a connection. A destroyed connection is rolled back and released when its statement has ended.
function toServerConnection(connection: Kysely<never>, release: () => void): ServerConnection {
  let running: Promise<unknown> = Promise.resolve();
  let isDestroyed = false;
  return {
    async run(statement) {
      if (isDestroyed) throw new Error('The connection was released.');
      const result = execute(connection, statement);
      running = result.catch(() => {});
      return result;
    },
    release,
    destroy() {
      isDestroyed = true;
      const rollBack = (): Promise<unknown> => execute(connection, { sql: 'ROLLBACK', parameters: [] });
      running.then(rollBack).then(release, release);
    },
  };
}

async function execute(connection: Kysely<never>, { sql, parameters }: Statement): Promise<StatementResult> {
  const result = await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]));
  const { numAffectedRows, insertId, rows } = result;
  return {
    rows: rows as Row[],
    changes: Number(numAffectedRows ?? rows.length),
    ...(insertId !== undefined && { insertId: Number(insertId) }),
  };
}
