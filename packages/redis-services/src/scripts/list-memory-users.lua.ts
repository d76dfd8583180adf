import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * list-memory-users: a page of the users of an app who have memory or had some.
 * KEYS: the app's users with memory.
 * ARGV from 2: the last user of the page before or '', how many.
 * Answers [user, …] in the order of their bytes.
 */
export const listMemoryUsers: RedisScript = redisScript(`
return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2] == '' and '-' or '(' .. ARGV[2], '+', 'LIMIT', 0, ARGV[3])
`);
