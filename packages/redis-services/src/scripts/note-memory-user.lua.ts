import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * note-memory-user: has the app know of a user who is about to get memory; its slot is another one on Cluster.
 * KEYS: the app's users with memory.
 * ARGV from 2: user.
 * Answers OK or LATE.
 */
export const noteMemoryUser: RedisScript = redisScript(`
if late then return {'LATE'} end
redis.call('ZADD', KEYS[1], 0, ARGV[2])
return {'OK'}
`);
