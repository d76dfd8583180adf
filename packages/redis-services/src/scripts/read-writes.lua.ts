import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * read-writes: how often a state was written.
 * KEYS: state.
 * ARGV: none of its own.
 * Answers the number.
 */
export const readWrites: RedisScript = redisScript(`return tonumber(redis.call('HGET', KEYS[1], '#') or 0)`);
