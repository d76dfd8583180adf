import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { query } from './sql-database.ts';
import type { RunOptions, SqlDatabase, Statement, StatementResult, Steps } from './sql-database.ts';
import { databaseClosed, isSqlFailure, sqlFailure } from './sql-failure.ts';
import type { SqlFailure } from './sql-failure.ts';

/** A connection for one call. */
export interface ServerConnection {
  run(statement: Statement): Promise<StatementResult>;
  /** Returns the connection to its pool. */
  release(): void;
  /** Closes the connection. The server then rolls back the open transaction. */
  destroy(): void;
}

/** Provides connections: a pool of ours or of the caller. */
export interface ConnectionSource {
  /** True if transactions have the isolation level READ COMMITTED without an extra statement. */
  readonly isReadCommitted?: boolean | undefined;
  acquire(): Promise<ServerConnection>;
  close(): Promise<void>;
}

/** Options of `ServerDatabase`. */
export interface ServerOptions {
  readonly dialect: Dialect;
  readonly source: ConnectionSource;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Name of the database for messages. */
  readonly displayName?: string | undefined;
}

/** State of a call. If no answer arrives, it shows whether the outcome is unknown. */
interface CallState {
  connection?: ServerConnection | undefined;
  isTimedOut: boolean;
  mayBeCommitted: boolean;
}

/** Work on a connection. */
type Work<T> = (call: CallState, connection: ServerConnection) => Promise<T>;

/** Number of conflicts that are retried without a pause. */
const IMMEDIATE_RETRIES = 10;
/** Number of broken or read-only connections that are replaced if nothing was committed. A pool may contain several of them. */
const MAX_RECONNECTS = 3;
/** Minimum pause before the next attempt if the server opens no connection. */
const BUSY_PAUSE_MS = 50;

/**
 * A database behind connections: PostgreSQL, MariaDB, or any database of a Kysely instance. A call has a time limit, unless its deadline
 * is `Infinity`. Then `close` ends it.
 */
export class ServerDatabase implements SqlDatabase {
  readonly dialect: Dialect;
  readonly displayName: string;
  readonly compact?: () => Promise<void>;
  readonly #source: ConnectionSource;
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  /** Functions that end the calls without a deadline. */
  readonly #unlimited = new Set<() => void>();

  constructor(options: ServerOptions) {
    this.dialect = options.dialect;
    this.displayName = options.displayName ?? 'The database';
    this.#source = options.source;
    this.#runtime = options.runtime;
    this.#timeoutMs = options.timeoutMs;
    if (this.dialect.name === 'sqlite') this.compact = () => this.#compactSqlite();
  }

  deadline(): number {
    return this.#runtime.monotonic() + this.#timeoutMs;
  }

  run<T>(steps: () => Steps<T>, { writes, deadline = this.deadline() }: RunOptions): Promise<T> {
    return this.#withRetries(deadline, async (call, connection) => {
      call.mayBeCommitted = writes;
      return runSteps(connection, steps());
    });
  }

  transact<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const { begin, isolation } = this.dialect;
    const setIsolation = this.#source.isReadCommitted ? undefined : isolation?.readCommitted;
    return this.#transaction(steps, { setIsolation, begin, writes: true, deadline });
  }

  snapshot<T>(steps: () => Steps<T>, deadline: number = this.deadline()): Promise<T> {
    const { beginSnapshot: begin, isolation } = this.dialect;
    return this.#transaction(steps, { setIsolation: isolation?.repeatableRead, begin, writes: false, deadline });
  }

  close(): Promise<void> {
    for (const end of this.#unlimited) end();
    return this.#source.close();
  }

  // The duration depends on the size of the file, so there is no time limit.
  async #compactSqlite(): Promise<void> {
    await this.run(() => query('VACUUM'), { writes: true, deadline: Infinity });
    await this.run(() => query('PRAGMA wal_checkpoint(TRUNCATE)'), { writes: true, deadline: Infinity });
  }

  #transaction<T>(
    steps: () => Steps<T>,
    p: { setIsolation: string | undefined; begin: string; writes: boolean; deadline: number },
  ): Promise<T> {
    return this.#withRetries(p.deadline, async (call, connection) => {
      if (p.setIsolation !== undefined) await connection.run({ sql: p.setIsolation, parameters: [] });
      await connection.run({ sql: p.begin, parameters: [] });
      let value: T;
      try {
        value = await runSteps(connection, steps());
      } catch (error) {
        // A connection that cannot roll back is closed. The server then rolls back.
        await connection.run({ sql: 'ROLLBACK', parameters: [] }).catch(() => this.#destroyConnection(call));
        throw error;
      }
      call.mayBeCommitted = p.writes;
      await connection.run({ sql: 'COMMIT', parameters: [] });
      return value;
    });
  }

  /** Runs the work. Repeats it after conflicts, and with other connections. Closes the connection at the deadline. */
  async #withRetries<T>(deadline: number, work: Work<T>): Promise<T> {
    let reconnects = 0;
    for (let conflicts = 0; ;) {
      try {
        return await this.#attempt(work, deadline);
      } catch (error) {
        if (!isSqlFailure(error) || error.isOutcomeUnknown || this.#runtime.monotonic() >= deadline) throw error;
        if (error.kind === 'busy') {
          const pauseMs = BUSY_PAUSE_MS * (1 + this.#runtime.random());
          // The last attempt has time for its answer, which is the reason of the error.
          if (this.#runtime.monotonic() + 2 * pauseMs >= deadline) throw error;
          await this.#runtime.sleep(pauseMs);
        } else if (error.kind === 'connection' || error.kind === 'read-only') {
          if (++reconnects > MAX_RECONNECTS) throw error;
        } else if (error.kind !== 'conflict') {
          throw error;
        } else if (++conflicts > IMMEDIATE_RETRIES) {
          await this.#runtime.sleep(1 + this.#runtime.random() * 2 * Math.min(conflicts, 50));
        }
      }
    }
  }

  #attempt<T>(work: Work<T>, deadline: number): Promise<T> {
    const call: CallState = { isTimedOut: false, mayBeCommitted: false };
    return new Promise<T>((resolve, reject) => {
      const end = (failure: SqlFailure): void => {
        call.isTimedOut = true;
        this.#destroyConnection(call);
        reject(failure);
      };
      const cancel =
        deadline === Infinity
          ? this.#untilClosed(() => end(databaseClosed()))
          : this.#runtime.timer(Math.max(1, deadline - this.#runtime.monotonic()), () => {
              const cause = new Error(`No answer within ${this.#timeoutMs} ms.`);
              end(sqlFailure('connection', cause, call.mayBeCommitted));
            });
      this.#runOnConnection(call, work).then(resolve, reject).finally(cancel);
    });
  }

  #untilClosed(end: () => void): () => void {
    this.#unlimited.add(end);
    return () => this.#unlimited.delete(end);
  }

  async #runOnConnection<T>(call: CallState, work: Work<T>): Promise<T> {
    try {
      const connection = await this.#source.acquire();
      if (call.isTimedOut) {
        connection.release();
        throw new Error('The connection arrived after the time limit.');
      }
      call.connection = connection;
      return await work(call, connection);
    } catch (error) {
      throw this.#toFailure(call, error);
    } finally {
      const { connection } = call;
      if (!call.isTimedOut) connection?.release();
      call.connection = undefined;
    }
  }

  #destroyConnection(call: CallState): void {
    const { connection } = call;
    call.connection = undefined;
    connection?.destroy();
  }

  #toFailure(call: CallState, error: unknown): unknown {
    if (!isDriverError(error)) return error;
    const kind = this.dialect.classifyError(error);
    // A new connection may lead to a server that writes, after a failover for example.
    if (kind === 'read-only') this.#destroyConnection(call);
    if (kind !== 'connection') return sqlFailure(kind, error);
    const failure: SqlFailure = sqlFailure(kind, error, call.mayBeCommitted);
    this.#destroyConnection(call);
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

// Errors of drivers have many shapes: a `code`, an `errno`, or only a message. Our errors have a brand.
function isDriverError(error: unknown): boolean {
  return !(typeof error === 'object' && error !== null && Symbol.for('thole.error') in error) && !isSqlFailure(error);
}
