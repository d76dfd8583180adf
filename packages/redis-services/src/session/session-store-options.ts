import { assertCount } from '@thole/core/kit';
import type { RedisClient } from '../client/redis-client.ts';
import { assertRedisOptions } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';

/** What a session store over Redis may be told. */
export interface RedisSessionStoreOptions extends RedisOptions {
  /** How long a session lives after its last event; for good without it or with `Infinity`. The session keeps what it was made with. */
  sessionTtlMs?: number | undefined;
  /** How often a run's lease, a waiting run and a watched session are looked at, for what other processes did (500). */
  pollMs?: number | undefined;
}

/** The names of what `RedisSessionStoreOptions` adds. */
export const sessionStoreOptionNames: readonly string[] = ['sessionTtlMs', 'pollMs'];

/** `INVALID_INPUT` for what nobody would read or what means nothing. */
export function assertSessionStoreOptions(client: RedisClient, options: RedisSessionStoreOptions): void {
  assertRedisOptions(client, options, sessionStoreOptionNames, 'A session store over Redis');
  const { sessionTtlMs } = options;
  if (sessionTtlMs !== undefined && sessionTtlMs !== Infinity) assertCount('sessionTtlMs', sessionTtlMs, 1);
  if (options.pollMs !== undefined) assertCount('pollMs', options.pollMs, 1);
}
