import type { ConnectionSource, ServerConnection } from './server-database.ts';
import { sqlFailure } from './sql-failure.ts';

/** Returns the connections of a pool that the first call opens. After `close`, calls fail and open nothing. */
export function lazyPool<Pool extends { end(): Promise<void> }>(
  open: () => Promise<Pool>,
  acquire: (pool: Pool) => Promise<ServerConnection>,
): ConnectionSource {
  let opening: Promise<Pool> | undefined;
  let isClosed = false;
  return {
    async acquire() {
      if (isClosed) throw sqlFailure('refused', new Error('The database was closed.'));
      return acquire(await (opening ??= open()));
    },
    async close() {
      isClosed = true;
      // A pool that could not be opened, or whose connections are broken, counts as closed.
      await (await opening?.catch(() => undefined))?.end().catch(() => {});
    },
  };
}
