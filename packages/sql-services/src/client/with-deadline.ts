import { TholeError } from '@thole/core';
import { waitAtMost } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { SqlDatabase } from './sql-database.ts';
import { sqlFailure } from './sql-failure.ts';

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

/** Returns the error of a call whose deadline passed before the tables were created or checked. A SQLite file was locked until then. */
export function tablesNotReady({ dialect, displayName }: SqlDatabase): Error {
  if (dialect.name === 'sqlite') return sqlFailure('conflict', new Error('The tables were not ready in time.'));
  const reason = 'Another process may be creating or updating them, or a transaction may lock them.';
  const nextStep = 'Try again later, and check that the server answers.';
  const message = `${displayName} did not have its tables ready in time. ${reason} ${nextStep}`;
  return new TholeError('STORE_UNAVAILABLE', message);
}
