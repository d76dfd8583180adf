import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * load-segments: the saved pieces of a user's index.
 * KEYS: segments.
 * ARGV: none of its own.
 * Answers [field, value, …]: v, and of each analyzer 'u' with the number up to which it goes and 'b' with the content.
 */
export const loadSegments: RedisScript = redisScript(`return redis.call('HGETALL', KEYS[1])`);
