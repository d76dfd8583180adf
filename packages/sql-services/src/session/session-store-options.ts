import type { TextCodec } from '@thole/core';
import { assertCount, assertTextCodec } from '@thole/core/kit';
import { databaseOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';

/** What a `SqlSessionStore` may be told. */
export interface SqlSessionStoreOptions extends DatabaseOptions {
  /** How long a session lives after its last event (for ever, as with `Infinity`). `app:` and `user:` state stays. */
  sessionTtlMs?: number | undefined;
  /** How often the database is asked by those who watch, wait for a session or hold one (500). */
  pollMs?: number | undefined;
  /** What events and state values go through on their way into the database, as for encryption at rest. */
  codec?: TextCodec | undefined;
}

/** The names of the options above. */
export const sessionStoreOptionNames: readonly string[] = [...databaseOptionNames, 'sessionTtlMs', 'pollMs', 'codec'];

/** `INVALID_INPUT` for what is none of them. */
export function assertSessionStoreOptions(options: SqlSessionStoreOptions): void {
  const { sessionTtlMs, pollMs, codec } = options;
  if (sessionTtlMs !== undefined && sessionTtlMs !== Infinity) assertCount('sessionTtlMs', sessionTtlMs, 1);
  if (pollMs !== undefined) assertCount('pollMs', pollMs, 1);
  assertTextCodec(codec);
}
