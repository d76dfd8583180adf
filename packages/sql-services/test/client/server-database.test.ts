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
import { postgres } from '../../src/dialects/postgres.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const never = new Promise<never>(() => {});

function databaseOn(source: ConnectionSource): { database: ServerDatabase; runtime: FixedRuntime } {
  const runtime = new FixedRuntime();
  return { database: new ServerDatabase({ dialect: postgres, source, runtime, timeoutMs: 1_000 }), runtime };
}

/** Sessions on a server that knows its tables and the time, and answers everything else so. */
function serviceOn(answer: (text: string) => Promise<never>): {
  service: DatabaseSessionService;
  runtime: FixedRuntime;
} {
  const runtime = new FixedRuntime();
  const known = [
    [/SELECT content/, { content: '2' }],
    [/clock_timestamp/, { now: runtime.now() }],
  ] as const;
  const client = {
    query: async ({ text }: { text: string }) => {
      const found = known.find(([pattern]) => pattern.test(text));
      return found ? { rows: [found[1]], rowCount: 1 } : answer(text);
    },
    release() {},
  };
  const pool = { connect: async () => client, query: () => never };
  return { service: new DatabaseSessionService({ db: pool, dialect: 'postgres', runtime, timeoutMs: 1_000 }), runtime };
}

describe('a call to a server', () => {
  it('gives a connection back that comes after its time limit, and cuts none: somebody else may have it by then', async () => {
    const told: string[] = [];
    const connection: ServerConnection = {
      run: async () => ({ rows: [], changes: 0 }),
      release: () => told.push('released'),
      destroy: () => told.push('destroyed'),
    };
    const coming = Promise.withResolvers<ServerConnection>();
    const { database, runtime } = databaseOn({ acquire: () => coming.promise, close: async () => {} });
    const call = database.run(() => query('SELECT 1'), { writes: true });
    const ending = expect(call).rejects.toMatchObject({ kind: 'connection', isOpen: false });
    await runtime.advance(1_000);
    await ending;
    coming.resolve(connection);
    await runtime.advance(1);
    expect(told).toEqual(['released']);
  });

  it('over a Kysely instance does no further statement after its time limit, and gives the connection back rolled back (contract 7)', async () => {
    const told: string[] = [];
    const slow = Promise.withResolvers<void>();
    const driver: Partial<Driver> = {
      init: async () => {},
      destroy: async () => {},
      acquireConnection: async () => ({
        async executeQuery<R>({ sql }: CompiledQuery): Promise<QueryResult<R>> {
          told.push(sql);
          if (sql === 'slow') await slow.promise;
          return { rows: [] };
        },
        streamQuery: () => {
          throw new Error('Nobody streams.');
        },
      }),
      releaseConnection: async () => void told.push('given back'),
    };
    const kysely = new Kysely<never>({
      dialect: {
        createDriver: () => driver as Driver,
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
    const { database, runtime } = databaseOn(kyselyConnections(kysely));
    const call = database.transact(function* (): Steps<void> {
      yield* query('slow');
      yield* query('after');
    });
    const ending = expect(call).rejects.toMatchObject({ kind: 'connection', isOpen: false });
    await runtime.advance(1_000);
    await ending;
    expect(told).toEqual([postgres.begin, 'slow']);
    slow.resolve();
    await runtime.advance(1);
    expect(told).toEqual([postgres.begin, 'slow', 'ROLLBACK', 'given back']);
  });

  it('does not say that an append has failed when its id is stored and nobody tells what with it (contract 7)', async () => {
    const { service, runtime } = serviceOn((text) => {
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

  it('has one time limit in all, also an append that first waits for its turn (contract 7)', async () => {
    const { service, runtime } = serviceOn(() => never);
    const ended: string[] = [];
    const append = async (id: string): Promise<void> => {
      const event = createEvent({ id, author: 'a' });
      await service.appendEvent({ session: ref, event }).catch((error: { code: string }) => {
        ended.push(`${id} ${error.code} ${runtime.monotonic()}`);
      });
    };
    const begun = runtime.monotonic();
    const both = [append('first')];
    await runtime.advance(400);
    both.push(append('second'));
    await runtime.advance(2_000);
    await Promise.all(both);
    expect(ended).toEqual([
      `first STORE_OUTCOME_UNKNOWN ${begun + 1_000}`,
      `second STORE_OUTCOME_UNKNOWN ${begun + 1_400}`,
    ]);
  });
});
