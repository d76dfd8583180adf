import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * list-app-leases: the leases that are noted for an app.
 * KEYS: app leases.
 * ARGV: none of its own.
 * Answers [member, …].
 */
export const listAppLeases: RedisScript = redisScript(`return redis.call('ZRANGE', KEYS[1], 0, -1)`);
