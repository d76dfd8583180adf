import { assertCount, optionNames } from '@thole/core/kit';
import type { RedisOptions } from '../client/redis-options.ts';

/** Options of `RedisSessionStore`. */
export interface RedisSessionStoreOptions extends RedisOptions {
  /**
   * Time to live of a session after its last event, in milliseconds. A session keeps the value that it was created with. Default: none
   * (`Infinity`).
   */
  sessionTtlMs?: number | undefined;
  /**
   * Interval in milliseconds at which held leases, waiting runs and watched sessions are checked for changes by other processes.
   * Default: 500.
   */
  pollMs?: number | undefined;
}

/** The names of the options that `RedisSessionStoreOptions` adds. */
export const sessionStoreOptionNames: readonly string[] = optionNames<
  Omit<RedisSessionStoreOptions, keyof RedisOptions>
>({ sessionTtlMs: true, pollMs: true });

/** Throws `INVALID_INPUT` if an option that `RedisSessionStoreOptions` adds is invalid. */
export function assertSessionStoreOptions({ sessionTtlMs, pollMs }: RedisSessionStoreOptions): void {
  if (sessionTtlMs !== undefined && sessionTtlMs !== Infinity) assertCount('sessionTtlMs', sessionTtlMs, 1);
  if (pollMs !== undefined) assertCount('pollMs', pollMs, 1);
}
