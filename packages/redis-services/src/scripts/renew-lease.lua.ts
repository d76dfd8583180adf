import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { READ_HEAD } from './read-head.lua.ts';

/**
 * renew-lease: holds on for another while, but not beyond what an interruption left. One that ran out is renewed unless a run waits.
 * KEYS: lease, line, record, user state; not on Cluster: app state.
 * ARGV from 2: token, ttl (ms), how long a lease is remembered (ms).
 * Answers [OK, ms left, head], LEASE_LOST or LATE.
 */
export const renewLease: RedisScript = redisScript(`
${READ_HEAD}
local lease = redis.call('HMGET', KEYS[1], 'token', 'until', 'latest')
if lease[1] ~= ARGV[2] or now >= tonumber(lease[3] or now + 1) then return {'LEASE_LOST'} end
if now >= tonumber(lease[2]) and redis.call('EXISTS', KEYS[2]) == 1 then return {'LEASE_LOST'} end
if late then return {'LATE'} end
local ends = now + ARGV[3]
if lease[3] then ends = math.min(ends, tonumber(lease[3])) end
redis.call('HSET', KEYS[1], 'until', ends)
redis.call('PEXPIRE', KEYS[1], ARGV[3] + ARGV[4])
return {'OK', ends - now, head(KEYS[3], KEYS[4], KEYS[5])}
`);
