import type { NodeSqlite } from './node-sqlite.ts';
import type { Statement, StatementResult, Steps } from './sql-database.ts';

const COMMIT: Statement = { sql: 'COMMIT', parameters: [] };
const ROLLBACK: Statement = { sql: 'ROLLBACK', parameters: [] };

/** Runs the steps in a transaction, synchronously. */
export function runTransaction<T>(connection: NodeSqlite, steps: () => Steps<T>, begin: string): T {
  connection.run({ sql: begin, parameters: [] });
  try {
    const value = runSteps(connection, steps());
    connection.run(COMMIT);
    return value;
  } catch (error) {
    try {
      connection.run(ROLLBACK);
    } catch {
      // SQLite has rolled back already.
    }
    throw error;
  }
}

/** Runs the steps, synchronously. */
export function runSteps<T>(connection: NodeSqlite, steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      result = connection.run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(result);
  }
  return step.value;
}
