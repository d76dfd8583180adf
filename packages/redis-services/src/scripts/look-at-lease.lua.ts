import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * look-at-lease: who holds the session.
 * KEYS: lease.
 * ARGV: none of its own.
 * Answers [token, invocation, holder, until (ms), ms left, who asked the holder to stop, with which code], or nothing.
 */
export const lookAtLease: RedisScript = redisScript(`
local lease = redis.call('HMGET', KEYS[1], 'token', 'inv', 'holder', 'until', 'stop', 'why')
if not lease[1] then return {} end
return {lease[1], lease[2], lease[3], lease[4], lease[4] - now, lease[5] or '', lease[6] or ''}
`);
