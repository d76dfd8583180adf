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
    const calls = [pool.acquire(), pool.acquire()];
    await nextTurn();
    await pool.close();
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ cause: { message: 'The database was closed.' } });
    }
    connect({ release: () => void released++, destroy() {}, run: () => expect.fail('The connection was used.') });
    await nextTurn();
    expect(released).toBe(2);
    await expect(pool.acquire()).rejects.toMatchObject({ cause: { message: 'The database was closed.' } });
  });
});
