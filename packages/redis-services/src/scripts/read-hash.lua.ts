import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * read-hash: all fields of a hash, flat whatever the protocol.
 * KEYS: the hash.
 * ARGV: none of its own.
 * Answers [field, value, …].
 */
export const readHash: RedisScript = redisScript(`return redis.call('HGETALL', KEYS[1])`);
