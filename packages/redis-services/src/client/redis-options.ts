import { TholeError } from '@thole/core';
import { assertCount, assertTextCodec, invalidInput, isPlainObject, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime, TextCodec } from '@thole/core';
import { isCluster } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';

/** What every service over Redis may be told. */
export interface RedisOptions {
  /** Begins every key, before the client's own prefix is put in front (`thole:`). */
  keyPrefix?: string | undefined;
  /** For each call, from its beginning to its answer, whatever the client's own settings (5_000). */
  timeoutMs?: number | undefined;
  /** After each write, wait until so many replicas have it: see `RedisWait`. */
  wait?: RedisWait | undefined;
  /** Changes what is stored on its way, as for encryption: see `TextCodec`. */
  codec?: TextCodec | undefined;
  runtime?: Runtime | undefined;
  /**
   * What the time is, in milliseconds since the epoch, instead of the server's own clock: for tests that drive time. All
   * who share the keys must go by one clock.
   */
  clock?: (() => number) | undefined;
}

/** Redis' WAIT: a write that fewer replicas acknowledged in time is `STORE_OUTCOME_UNKNOWN`, for a failover may lose it. */
export interface RedisWait {
  replicas: number;
  /** Less than the `timeoutMs` of a call. */
  timeoutMs: number;
}

/** The names of `RedisOptions`. */
export const redisOptionNames: readonly string[] = ['keyPrefix', 'timeoutMs', 'wait', 'codec', 'runtime', 'clock'];

/** `INVALID_INPUT` for a client that is none and for options that nobody would read or that mean nothing. */
export function assertRedisOptions(
  client: RedisClient,
  options: RedisOptions,
  own: readonly string[],
  where: string,
): void {
  if (typeof (client as Partial<RedisClient> | undefined)?.evalsha !== 'function') {
    throw invalidInput('client', 'an ioredis client', client);
  }
  rejectUnknownOptions(options, [...redisOptionNames, ...own], where);
  const { keyPrefix, timeoutMs = 5_000, wait, codec, clock } = options;
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') throw invalidInput('keyPrefix', 'a string', keyPrefix);
  assertCount('timeoutMs', timeoutMs, 1);
  if (clock !== undefined && typeof clock !== 'function') throw invalidInput('clock', 'a function', clock);
  assertTextCodec(codec);
  if (wait !== undefined) assertWait(wait, timeoutMs);
  // Without a brace of its own a prefix cannot move a hash tag.
  if (keyPrefix !== undefined && /[{}]/.test(keyPrefix) && isCluster(client)) {
    throw new TholeError('INVALID_INPUT', 'keyPrefix must not hold braces on Cluster.');
  }
}

function assertWait(wait: RedisWait, timeoutMs: number): void {
  if (!isPlainObject(wait)) throw invalidInput('wait', 'an object with replicas and timeoutMs', wait);
  rejectUnknownOptions(wait, ['replicas', 'timeoutMs'], 'wait');
  assertCount('wait.replicas', wait.replicas, 1);
  assertCount('wait.timeoutMs', wait.timeoutMs, 1);
  if (wait.timeoutMs >= timeoutMs) throw new TholeError('INVALID_INPUT', 'wait.timeoutMs must be below timeoutMs.');
}
