import { TholeError } from '@thole/core';
import {
  assertCount,
  assertTextCodec,
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { Runtime, TextCodec } from '@thole/core';
import { isCluster } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';

/** Options of every Redis service. */
export interface RedisOptions {
  /** Start of every key. The client puts its own `keyPrefix` before it. Default: `'thole:'`. */
  keyPrefix?: string | undefined;
  /** Time limit of one call in milliseconds, independent of the client's settings. Default: 5,000. */
  timeoutMs?: number | undefined;
  /** Number of replicas that must have each write, see `RedisWait`. Default: none. */
  wait?: RedisWait | undefined;
  /** Encodes the stored texts, for example to encrypt them, see `TextCodec`. Default: none. */
  codec?: TextCodec | undefined;
  /** Ids, timers and logger. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
  /**
   * Returns the time in milliseconds since the epoch, for tests that control time. All services that share the keys must use the
   * same clock. Default: the server's clock.
   */
  clock?: (() => number) | undefined;
}

/** Options of Redis' WAIT. A write that fewer replicas have in time throws `STORE_OUTCOME_UNKNOWN`: a failover may lose it. */
export interface RedisWait {
  /** Number of replicas that must have each write. */
  replicas: number;
  /** Time limit in milliseconds. Must be less than the `timeoutMs` of a call. */
  timeoutMs: number;
}

/** The names of `RedisOptions`. */
export const redisOptionNames: readonly string[] = optionNames<RedisOptions>({
  keyPrefix: true,
  timeoutMs: true,
  wait: true,
  codec: true,
  runtime: true,
  clock: true,
});

const waitOptionNames = optionNames<RedisWait>({ replicas: true, timeoutMs: true });

/** Throws `INVALID_INPUT` if `client` is not an ioredis client, or if an option is unknown or invalid. `extraOptionNames` are also allowed. */
export function assertRedisOptions(
  client: RedisClient,
  options: RedisOptions,
  extraOptionNames: readonly string[],
  owner: string,
): void {
  if (typeof (client as Partial<RedisClient> | undefined)?.evalsha !== 'function') {
    throw invalidInput('client', 'an ioredis client', client);
  }
  rejectUnknownOptions(options, [...redisOptionNames, ...extraOptionNames], owner);
  const { keyPrefix, timeoutMs = 5_000, wait, codec, clock } = options;
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') throw invalidInput('keyPrefix', 'a string', keyPrefix);
  assertCount('timeoutMs', timeoutMs, 1);
  if (clock !== undefined && typeof clock !== 'function') throw invalidInput('clock', 'a function', clock);
  assertTextCodec(codec);
  if (wait !== undefined) assertWait(wait, timeoutMs);
  // Cluster derives the slot of a key from its first pair of braces, which must be the hash tag of `RedisKeys`.
  if (keyPrefix !== undefined && /[{}]/.test(keyPrefix) && isCluster(client)) {
    throw new TholeError('INVALID_INPUT', 'keyPrefix must not contain braces on Cluster.');
  }
}

function assertWait(wait: RedisWait, timeoutMs: number): void {
  if (!isPlainObject(wait)) throw invalidInput('wait', 'an object with replicas and timeoutMs', wait);
  rejectUnknownOptions(wait, waitOptionNames, 'wait');
  assertCount('wait.replicas', wait.replicas, 1);
  assertCount('wait.timeoutMs', wait.timeoutMs, 1);
  if (wait.timeoutMs >= timeoutMs) throw new TholeError('INVALID_INPUT', 'wait.timeoutMs must be less than timeoutMs.');
}
