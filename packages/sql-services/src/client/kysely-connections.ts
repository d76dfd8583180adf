import { driverMissing } from './driver-missing.ts';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, Statement, StatementResult } from './sql-database.ts';

/** The part of a Kysely instance that this package uses. */
export interface KyselyDatabase {
  withoutPlugins(): KyselyDatabase;
  connection(): { execute<T>(use: (connection: KyselyDatabase) => Promise<T>): Promise<T> };
  /** Its queries are those of Kysely's `CompiledQuery.raw`. */
  executeQuery(
    query: never,
  ): Promise<{ rows: unknown[]; numAffectedRows?: bigint | undefined; insertId?: bigint | undefined }>;
}

/** Returns the connections of the caller's Kysely instance, without its plugins. */
export function kyselyConnections(kysely: KyselyDatabase): ConnectionSource {
  return { acquire: () => acquire(kysely), close: async () => {} };
}

// Kysely provides a connection during a callback. This callback ends when the connection is released.
async function acquire(kysely: KyselyDatabase): Promise<ServerConnection> {
  const { CompiledQuery } = await loadKysely();
  return new Promise((resolve, reject) => {
    const executing = kysely
      .withoutPlugins()
      .connection()
      .execute(
        (connection) =>
          new Promise<void>((release) => {
            const run = async ({ sql, parameters }: Statement): Promise<StatementResult> =>
              toResult(await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]) as never));
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

function toResult(result: Awaited<ReturnType<KyselyDatabase['executeQuery']>>): StatementResult {
  const { numAffectedRows, insertId, rows } = result;
  return {
    rows: rows as Row[],
    changes: Number(numAffectedRows ?? rows.length),
    ...(insertId !== undefined && { insertId: Number(insertId) }),
  };
}

async function loadKysely() {
  try {
    return await import('kysely');
  } catch (cause) {
    throw driverMissing('kysely', cause);
  }
}
