import type { TextCodec } from '@thole/core';
import { assertCount, assertTextCodec, optionNames } from '@thole/core/kit';
import { sqlOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';

/** Options of `SqlSessionStore`. */
export interface SqlSessionStoreOptions extends DatabaseOptions {
  /**
   * Lifetime of a session after its last event, in milliseconds. `app:` and `user:` state stays. A session with marks does not
   * expire: its lifetime begins again when the last mark is cleared. Default: `Infinity`.
   */
  sessionTtlMs?: number | undefined;
  /** Milliseconds between two queries of a watcher, a waiting run, or a process that holds leases. Default: 500. */
  pollMs?: number | undefined;
  /** Encodes events and state values, for example to encrypt them. Default: none. */
  codec?: TextCodec | undefined;
}

/** Names of all options of `SqlSessionStore`. */
export const sessionStoreOptionNames: readonly string[] = [
  ...sqlOptionNames,
  ...optionNames<Omit<SqlSessionStoreOptions, keyof DatabaseOptions>>({
    sessionTtlMs: true,
    pollMs: true,
    codec: true,
  }),
];

/** Throws `INVALID_INPUT` for an invalid value. */
export function assertSessionStoreOptions(options: SqlSessionStoreOptions): void {
  const { sessionTtlMs, pollMs, codec } = options;
  if (sessionTtlMs !== undefined && sessionTtlMs !== Infinity) assertCount('sessionTtlMs', sessionTtlMs, 1);
  if (pollMs !== undefined) assertCount('pollMs', pollMs, 1);
  assertTextCodec(codec);
}
