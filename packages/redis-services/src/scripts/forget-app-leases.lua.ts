import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * forget-app-leases: takes leases that are gone out of the list of their app.
 * KEYS: app leases.
 * ARGV from 2: members.
 * Answers OK.
 */
export const forgetAppLeases: RedisScript = redisScript(`
redis.call('ZREM', KEYS[1], unpack(ARGV, 2))
return {'OK'}
`);
