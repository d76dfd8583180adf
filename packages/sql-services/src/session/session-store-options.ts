import type { TextCodec } from '@thole/core';
import { checkCount, checkTextCodec } from '@thole/core';
import { databaseOptionNames } from '../options/database-options.ts';
import type { DatabaseOptions } from '../options/database-options.ts';

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
export function checkSessionStoreOptions(options: SqlSessionStoreOptions): void {
  const { sessionTtlMs, pollMs, codec } = options;
  if (sessionTtlMs !== undefined && sessionTtlMs !== Infinity) checkCount('sessionTtlMs', sessionTtlMs, 1);
  if (pollMs !== undefined) checkCount('pollMs', pollMs, 1);
  checkTextCodec(codec);
}
