import { waitAtMost } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Dialect } from '../dialects/dialect.ts';
import { sqlFailure } from './sql-failure.ts';
import type { SqlFailure } from './sql-failure.ts';

/** Returns the value of the promise. Throws `timeoutError()` if the runtime's monotonic clock reaches the deadline first. */
export async function withDeadline<T>(
  runtime: Runtime,
  deadline: number,
  promise: Promise<T>,
  timeoutError: () => unknown,
): Promise<T> {
  const ms = Math.max(0, deadline - runtime.monotonic());
  const ended = await waitAtMost(
    runtime,
    ms,
    promise.then((value) => ({ value })),
  );
  if (!ended) throw timeoutError();
  return ended.value;
}

/** Returns the failure of a call whose deadline passed before the tables were created or checked. A SQLite file was locked until then. */
export function tablesNotReady(dialect: Dialect): SqlFailure {
  const kind = dialect.name === 'sqlite' ? 'conflict' : 'connection';
  return sqlFailure(kind, new Error('The tables were not ready in time.'));
}
