import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * note-app-lease, on Cluster: puts a lease into the list of its app.
 * KEYS: app leases.
 * ARGV from 2: member.
 * Answers OK or LATE.
 */
export const noteAppLease: RedisScript = redisScript(`
if late then return {'LATE'} end
redis.call('ZADD', KEYS[1], now, ARGV[2])
return {'OK'}
`);
