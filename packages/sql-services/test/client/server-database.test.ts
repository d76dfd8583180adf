import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { CompiledQuery, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Driver, QueryResult } from 'kysely';
import { describe, expect, it } from 'vitest';
import { kyselyConnections } from '../../src/client/kysely-connections.ts';
import { ServerDatabase } from '../../src/client/server-database.ts';
import type { ConnectionSource, ServerConnection } from '../../src/client/server-database.ts';
import { query } from '../../src/client/sql-database.ts';
import type { Steps } from '../../src/client/sql-database.ts';
import { mariadb } from '../../src/dialects/mariadb.ts';
import { postgres } from '../../src/dialects/postgres.ts';
import { SCHEMA_VERSION } from '../../src/schema/migrate.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const never = new Promise<never>(() => {});

function createDatabase(source: ConnectionSource): { database: ServerDatabase; runtime: FixedRuntime } {
  const runtime = new FixedRuntime();
  return { database: new ServerDatabase({ dialect: postgres, source, runtime, timeoutMs: 1_000 }), runtime };
}

/** Creates a service on a server that answers queries for its version and time. `answer` answers all other queries. */
function createService(answer: (text: string) => Promise<never>): {
  service: DatabaseSessionService;
  runtime: FixedRuntime;
} {
  const runtime = new FixedRuntime();
  const answers = [
    [/SELECT content/, { content: String(SCHEMA_VERSION) }],
    [/clock_timestamp/, { now: runtime.now() }],
  ] as const;
  const client = {
    query: async ({ text }: { text: string }) => {
      const found = answers.find(([pattern]) => pattern.test(text));
      return found ? { rows: [found[1]], rowCount: 1 } : answer(text);
    },
    release() {},
  };
  const pool = { connect: async () => client, query: () => never };
  return { service: new DatabaseSessionService({ db: pool, dialect: 'postgres', runtime, timeoutMs: 1_000 }), runtime };
}

describe('ServerDatabase', () => {
  it('releases a connection that arrives after the time limit', async () => {
    const calls: string[] = [];
    const connection: ServerConnection = {
      async run({ sql }) {
        calls.push(sql);
        return { rows: [], changes: 0 };
      },
      release: () => calls.push('released'),
      destroy: () => calls.push('destroyed'),
    };
    const acquired = Promise.withResolvers<ServerConnection>();
    const { database, runtime } = createDatabase({ acquire: () => acquired.promise, close: async () => {} });
    const call = database.run(() => query('SELECT 1'), { writes: true });
    const ending = expect(call).rejects.toMatchObject({ kind: 'connection', isOutcomeUnknown: false });
    await runtime.advance(1_000);
    await ending;
    acquired.resolve(connection);
    await runtime.advance(1);
    expect(calls).toEqual(['released']);
  });

  it('ends a call with the deadline Infinity only when it is closed (contract 7)', async () => {
    const calls: string[] = [];
    const acquired = Promise.withResolvers<ServerConnection>();
    const source: ConnectionSource = { acquire: () => acquired.promise, close: async () => void calls.push('closed') };
    const { database, runtime } = createDatabase(source);
    const call = database.run(() => query('CREATE'), { writes: true, deadline: Infinity });
    call.then(
      () => {},
      () => calls.push('ended'),
    );
    await runtime.advance(10_000_000);
    expect([calls, runtime.pending]).toEqual([[], 0]);
    await database.close();
    await expect(call).rejects.toMatchObject({ kind: 'refused', isOutcomeUnknown: false });
    acquired.resolve({
      run: () => never,
      release: () => calls.push('released'),
      destroy: () => calls.push('destroyed'),
    });
    await runtime.advance(1);
    expect(calls).toEqual(['closed', 'ended', 'released']);
  });

  it.each([
    ['53300', postgres, { code: '53300' }],
    ['57P03', postgres, { code: '57P03' }],
    ['ER_CON_COUNT_ERROR', mariadb, { code: 'ER_CON_COUNT_ERROR', errno: 1040 }],
  ])('waits for a connection while the server opens none (%s)', async (code, dialect, more) => {
    const reason = Object.assign(new Error('sorry'), more);
    let attempts = 0;
    let isFull = true;
    const source: ConnectionSource = {
      async acquire() {
        attempts++;
        if (isFull) throw reason;
        return { run: async () => ({ rows: [], changes: 1 }), release() {}, destroy() {} };
      },
      close: async () => {},
    };
    const runtime = new FixedRuntime();
    const database = new ServerDatabase({ dialect, source, runtime, timeoutMs: 1_000 });
    const call = (): Promise<{ changes: number }> => database.run(() => query('SELECT 1'), { writes: true });
    const failing = expect(call()).rejects.toMatchObject({ kind: 'busy', cause: { code } });
    await runtime.advance(1_000);
    await failing;
    expect(attempts).toSatisfy((count: number) => count > 5 && count < 25);
    const waiting = call();
    await runtime.advance(500);
    isFull = false;
    await runtime.advance(200);
    expect(await waiting).toMatchObject({ changes: 1 });
  });

  it('rolls back and releases a Kysely connection after the time limit (contract 7)', async () => {
    const calls: string[] = [];
    const slow = Promise.withResolvers<void>();
    const driver: Partial<Driver> = {
      init: async () => {},
      destroy: async () => {},
      acquireConnection: async () => ({
        async executeQuery<R>({ sql }: CompiledQuery): Promise<QueryResult<R>> {
          calls.push(sql);
          if (sql === 'slow') await slow.promise;
          return { rows: [] };
        },
        streamQuery: () => {
          throw new Error('Not used.');
        },
      }),
      releaseConnection: async () => void calls.push('released'),
    };
    const kysely = new Kysely<never>({
      dialect: {
        createDriver: () => driver as Driver,
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
    const { database, runtime } = createDatabase(kyselyConnections(kysely));
    const call = database.transact(function* (): Steps<void> {
      yield* query('slow');
      yield* query('after');
    });
    const ending = expect(call).rejects.toMatchObject({ kind: 'connection', isOutcomeUnknown: false });
    await runtime.advance(1_000);
    await ending;
    expect(calls).toEqual([postgres.begin, 'slow']);
    slow.resolve();
    await runtime.advance(1);
    expect(calls).toEqual([postgres.begin, 'slow', 'ROLLBACK', 'released']);
  });

  it('throws STORE_OUTCOME_UNKNOWN if an append finds its id and gets no further answer (contract 7)', async () => {
    const { service, runtime } = createService((text) => {
      if (/INSERT/.test(text)) return Promise.reject(Object.assign(new Error('duplicate'), { code: '23505' }));
      return never;
    });
    const event = createEvent({ id: 'e1', author: 'a' });
    const appending = expect(service.appendEvent({ session: ref, event })).rejects.toMatchObject({
      code: 'STORE_OUTCOME_UNKNOWN',
    });
    await runtime.advance(1_000);
    await appending;
  });

  it('ends an append that waits for an earlier one within its time limit (contract 7)', async () => {
    const { service, runtime } = createService(() => never);
    const outcomes: string[] = [];
    const append = async (id: string): Promise<void> => {
      const event = createEvent({ id, author: 'a' });
      await service.appendEvent({ session: ref, event }).catch((error: { code: string }) => {
        outcomes.push(`${id} ${error.code} ${runtime.monotonic()}`);
      });
    };
    const startedAt = runtime.monotonic();
    const both = [append('first')];
    await runtime.advance(400);
    both.push(append('second'));
    await runtime.advance(2_000);
    await Promise.all(both);
    expect(outcomes).toEqual([
      `first STORE_OUTCOME_UNKNOWN ${startedAt + 1_000}`,
      `second STORE_OUTCOME_UNKNOWN ${startedAt + 1_400}`,
    ]);
  });
});
