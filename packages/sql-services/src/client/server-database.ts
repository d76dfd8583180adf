import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { isSqlFailure, sqlFailure } from './sql-failure.ts';
import type { SqlFailure } from './sql-failure.ts';
import type { RunOptions, SqlDatabase, Statement, StatementResult, Steps } from './sql-database.ts';

/** A connection for one call. */
export interface ServerConnection {
  run(statement: Statement): Promise<StatementResult>;
  /** Gives it back. */
  release(): void;
  /** Cuts it, so that the server rolls back what was not committed. */
  destroy(): void;
}

/** Where connections come from: a pool of ours or of the caller. */
export interface ConnectionSource {
  acquire(): Promise<ServerConnection>;
  close(): Promise<void>;
}

/** What a `ServerDatabase` is made of. */
export interface ServerOptions {
  readonly dialect: Dialect;
  readonly source: ConnectionSource;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Names the database in messages. */
  readonly displayName?: string | undefined;
}

/** How far a call has come: what decides whether an answer that never came leaves the outcome open. */
interface CallState {
  connection?: ServerConnection | undefined;
  isTimedOut: boolean;
  mayBeCommitted: boolean;
}

/** What is done on a connection. */
type Work<T> = (call: CallState, connection: ServerConnection) => Promise<T>;

/** Conflicts that are begun anew at once; later ones wait a moment before. */
const AT_ONCE = 10;
/** Connections that broke before anything was decided and are replaced: a pool may hold several dead ones. */
const REPLACED = 3;

/** A database behind connections: PostgreSQL, MariaDB, or whatever a Kysely instance speaks. Every call has a time limit. */
export class ServerDatabase implements SqlDatabase {
  readonly dialect: Dialect;
  readonly displayName: string;
  readonly #source: ConnectionSource;
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;

  constructor(options: ServerOptions) {
    this.dialect = options.dialect;
    this.displayName = options.displayName ?? 'The database';
    this.#source = options.source;
    this.#runtime = options.runtime;
    this.#timeoutMs = options.timeoutMs;
  }

  deadline(): number {
    return this.#runtime.monotonic() + this.#timeoutMs;
  }

  run<T>(steps: () => Steps<T>, { writes, deadline = this.deadline() }: RunOptions): Promise<T> {
    return this.#inTime(deadline, async (call, connection) => {
      call.mayBeCommitted = writes;
      return runSteps(connection, steps());
    });
  }

  transact<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    return this.#transaction(steps, this.dialect.begin, { writes: true, deadline });
  }

  snapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    return this.#transaction(steps, this.dialect.beginSnapshot, { writes: false, deadline });
  }

  #transaction<T>(steps: () => Steps<T>, begin: string, p: { writes: boolean; deadline: number }): Promise<T> {
    return this.#inTime(p.deadline, async (call, connection) => {
      await connection.run({ sql: begin, parameters: [] });
      let value: T;
      try {
        value = await runSteps(connection, steps());
      } catch (error) {
        // A connection that cannot roll back is not given back; the server rolls back when it is cut.
        await connection.run({ sql: 'ROLLBACK', parameters: [] }).catch(() => this.#cut(call));
        throw error;
      }
      call.mayBeCommitted = p.writes;
      await connection.run({ sql: 'COMMIT', parameters: [] });
      return value;
    });
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  /** The work's value, begun anew after conflicts, until the time limit cuts its connection. */
  async #inTime<T>(deadline: number, work: Work<T>): Promise<T> {
    let broken = 0;
    for (let conflicts = 0; ;) {
      try {
        return await this.#attempt(work, deadline);
      } catch (error) {
        if (!isSqlFailure(error) || error.isOutcomeUnknown || this.#runtime.monotonic() >= deadline) throw error;
        if (error.kind === 'connection' && ++broken > REPLACED) throw error;
        if (error.kind !== 'conflict' && error.kind !== 'connection') throw error;
        if (error.kind === 'conflict' && ++conflicts > AT_ONCE) {
          await this.#runtime.sleep(1 + this.#runtime.random() * 2 * Math.min(conflicts, 50));
        }
      }
    }
  }

  #attempt<T>(work: Work<T>, deadline: number): Promise<T> {
    const call: CallState = { isTimedOut: false, mayBeCommitted: false };
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#runtime.timer(Math.max(1, deadline - this.#runtime.monotonic()), () => {
        call.isTimedOut = true;
        this.#cut(call);
        reject(sqlFailure('connection', new Error(`No answer within ${this.#timeoutMs} ms.`), call.mayBeCommitted));
      });
      this.#connected(call, work).then(resolve, reject).finally(cancel);
    });
  }

  async #connected<T>(call: CallState, work: Work<T>): Promise<T> {
    try {
      const connection = await this.#source.acquire();
      if (call.isTimedOut) {
        connection.release();
        throw new Error('The connection came too late.');
      }
      call.connection = connection;
      return await work(call, connection);
    } catch (error) {
      throw this.#failureOf(call, error);
    } finally {
      const { connection } = call;
      if (!call.isTimedOut) connection?.release();
      call.connection = undefined;
    }
  }

  #cut(call: CallState): void {
    const { connection } = call;
    call.connection = undefined;
    connection?.destroy();
  }

  #failureOf(call: CallState, error: unknown): unknown {
    if (!isDriverError(error)) return error;
    const kind = this.dialect.classifyError(error);
    if (kind !== 'connection') return sqlFailure(kind, error);
    const failure: SqlFailure = sqlFailure(kind, error, call.mayBeCommitted);
    this.#cut(call);
    return failure;
  }
}

async function runSteps<T>(connection: ServerConnection, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      result = await connection.run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(result);
  }
  return step.value;
}

// Drivers tell by `code` or `errno` what happened, or by a sentence alone when the connection broke; ours carry a brand.
function isDriverError(error: unknown): boolean {
  return !(typeof error === 'object' && error !== null && Symbol.for('thole.error') in error) && !isSqlFailure(error);
}
