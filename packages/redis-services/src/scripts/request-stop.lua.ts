import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * request-stop: asks the run that holds the session to stop; the first who asks counts.
 * KEYS: lease.
 * ARGV from 2: its invocation.
 * Answers [token] of the lease, nothing where that invocation does not hold it, or LATE.
 */
export const requestStop: RedisScript = redisScript(`
local lease = redis.call('HMGET', KEYS[1], 'token', 'inv', 'until')
if not lease[1] or lease[2] ~= ARGV[2] or now >= tonumber(lease[3]) then return {} end
if late then return {'LATE'} end
redis.call('HSETNX', KEYS[1], 'stop', '')
redis.call('HSETNX', KEYS[1], 'why', 'RUN_ABORTED')
return {lease[1]}
`);
