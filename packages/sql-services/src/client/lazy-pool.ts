import type { ConnectionSource, ServerConnection } from './server-database.ts';
import { sqlFailure } from './sql-failure.ts';

/** A pool that is opened at the first call; once it was closed, a call fails and opens nothing. */
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
      // What was broken already is closed.
      await (await opening?.catch(() => undefined))?.end().catch(() => {});
    },
  };
}
