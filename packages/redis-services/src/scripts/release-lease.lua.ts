import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * release-lease: lets go of a session, or leaves the line. Harmless when repeated, and to whoever holds it now.
 * KEYS: lease, line, seen; not on Cluster: app leases.
 * ARGV from 2: token, its member in app leases.
 * Answers OK.
 */
export const releaseLease: RedisScript = redisScript(`
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[2])
if redis.call('HGET', KEYS[1], 'token') == ARGV[2] then redis.call('DEL', KEYS[1]) end
if KEYS[4] then redis.call('ZREM', KEYS[4], ARGV[3]) end
return {'OK'}
`);
