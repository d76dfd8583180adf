import { CompiledQuery } from 'kysely';
import type { Kysely } from 'kysely';
import type { ConnectionSource, ServerConnection } from './server-database.ts';
import type { Row, Statement, StatementResult } from './sql-database.ts';

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
      .execute((connection) => new Promise<void>((giveBack) => resolve(lent(connection, giveBack))));
    lending.catch(reject);
  });
}

// Kysely cannot cut a connection. Others get one that was to be cut when what runs on it has ended and is rolled back.
function lent(connection: Kysely<never>, giveBack: () => void): ServerConnection {
  let running: Promise<unknown> = Promise.resolve();
  let isCut = false;
  return {
    async run(statement) {
      if (isCut) throw new Error('The connection is not ours any more.');
      const answer = execute(connection, statement);
      running = answer.catch(() => {});
      return answer;
    },
    release: giveBack,
    destroy() {
      isCut = true;
      const rollBack = (): Promise<unknown> => execute(connection, { sql: 'ROLLBACK', parameters: [] });
      running.then(rollBack).then(giveBack, giveBack);
    },
  };
}

async function execute(connection: Kysely<never>, { sql, parameters }: Statement): Promise<StatementResult> {
  const answer = await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]));
  const { numAffectedRows, insertId, rows } = answer;
  return {
    rows: rows as Row[],
    changes: Number(numAffectedRows ?? rows.length),
    ...(insertId !== undefined && { insertId: Number(insertId) }),
  };
}
