import { systemRuntime } from '@thole/core';
import type { Runtime, TextCodec } from '@thole/core';
import { RedisCalls } from './redis-calls.ts';
import type { RedisClient } from './redis-client.ts';
import { RedisKeys } from './redis-keys.ts';
import { assertRedisOptions } from './redis-options.ts';
import type { RedisOptions } from './redis-options.ts';

/** The parts of every store: the calls and keys of a client, and the options with their defaults. */
export interface OpenedRedis {
  readonly calls: RedisCalls;
  readonly keys: RedisKeys;
  readonly runtime: Runtime;
  readonly codec: TextCodec | undefined;
}

/** Returns the parts of a store. Sends nothing yet. Throws `INVALID_INPUT` if the client or an option is invalid. `store` names the store. */
export function openRedis(
  client: RedisClient,
  options: RedisOptions,
  store: string,
  extraOptionNames: readonly string[] = [],
): OpenedRedis {
  assertRedisOptions(client, options, extraOptionNames, store);
  const { runtime = systemRuntime(), keyPrefix = 'thole:', timeoutMs = 5_000, wait, clock, codec } = options;
  const calls = new RedisCalls(client, { runtime, timeoutMs, wait, clock });
  return { calls, keys: new RedisKeys(keyPrefix), runtime, codec };
}
