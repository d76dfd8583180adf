import type { ConnectionSource, ServerConnection } from './server-database.ts';
import { databaseClosed } from './sql-failure.ts';

/**
 * Returns the connections of a pool that the first call opens. After `close`, calls fail and open nothing. Calls that wait for
 * a connection fail too: `pg` forgets them when its pool ends.
 */
export function lazyPool<Pool extends { end(): Promise<void> }>(
  open: () => Promise<Pool>,
  acquire: (pool: Pool) => Promise<ServerConnection>,
): ConnectionSource {
  let opening: Promise<Pool> | undefined;
  let isClosed = false;
  const waiting = new Set<(error: unknown) => void>();
  return {
    async acquire() {
      if (isClosed) throw databaseClosed();
      const pool = await (opening ??= open());
      // `close` was called while the driver was loaded.
      if (isClosed) throw databaseClosed();
      return new Promise<ServerConnection>((resolve, reject) => {
        waiting.add(reject);
        const use = (connection: ServerConnection): void => {
          if (isClosed) connection.release();
          else resolve(connection);
        };
        void acquire(pool)
          .then(use, reject)
          .finally(() => waiting.delete(reject));
      });
    },
    async close() {
      isClosed = true;
      for (const reject of waiting) reject(databaseClosed());
      // A pool that could not be opened, or whose connections are broken, counts as closed.
      await (await opening?.catch(() => undefined))?.end().catch(() => {});
    },
  };
}
