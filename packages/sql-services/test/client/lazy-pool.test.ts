import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { lazyPool } from '../../src/client/lazy-pool.ts';
import type { ServerConnection } from '../../src/client/server-database.ts';

describe('lazyPool', () => {
  it('rejects calls that wait for a connection when it is closed, and releases late connections', async () => {
    const { promise: connecting, resolve: connect } = Promise.withResolvers<ServerConnection>();
    let released = 0;
    const pool = lazyPool(
      async () => ({ end: async () => {} }),
      () => connecting,
    );
    const calls = Promise.allSettled([pool.acquire(), pool.acquire()]);
    await nextTurn();
    await pool.close();
    const closed = { status: 'rejected', reason: { cause: { message: 'The database was closed.' } } };
    expect(await calls).toMatchObject([closed, closed]);
    connect({ release: () => void released++, destroy() {}, run: () => expect.fail('The connection was used.') });
    await nextTurn();
    expect(released).toBe(2);
    await expect(pool.acquire()).rejects.toMatchObject({ cause: { message: 'The database was closed.' } });
  });

  it('uses no pool if it is closed while the pool is opened', async () => {
    const opening = Promise.withResolvers<{ end(): Promise<void> }>();
    const pool = lazyPool(
      () => opening.promise,
      () => expect.fail('The closed pool was used.'),
    );
    const call = expect(pool.acquire()).rejects.toMatchObject({ cause: { message: 'The database was closed.' } });
    const closing = pool.close();
    opening.resolve({ end: async () => {} });
    await Promise.all([call, closing]);
  });
});
