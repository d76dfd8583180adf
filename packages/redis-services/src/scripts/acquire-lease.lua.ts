import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { READ_HEAD } from './read-head.lua.ts';

/**
 * acquire-lease: gives the session to who asks, or a place in the line.
 * KEYS: lease, line, seen, record, user state; then app state, app leases, or on Cluster pending.
 * ARGV from 2: token (the fence), invocation, holder, policy, ttl (ms), most waiting, cleanup (ms), how long a waiter counts as there
 * without asking again (ms), '1' when it asks for the first time, its member in app leases, how long a lease is remembered (ms), its
 * process or '', the token of a lease whose process is dead or ''.
 * Answers [OK, head, pending], [WAIT or BUSY, invocation, how many wait, token, process of the lease], [INTERRUPTED] or LATE. Asking
 * again with a token that holds is OK. A run that interrupts waits with the score -1, one at most: the next one takes its place,
 * and 'seen' then has '!' and the token of the one before.
 */
export const acquireLease: RedisScript = redisScript(`
${READ_HEAD}
local token = ARGV[2]
local lease = redis.call('HMGET', KEYS[1], 'token', 'inv', 'until', 'latest', 'member', 'proc')
local held = lease[1] and lease[1] ~= ARGV[14] and now < tonumber(lease[3])
local function granted()
  local pending = KEYS[7] and {} or redis.call('LRANGE', KEYS[6], 0, 99)
  return {'OK', head(KEYS[4], KEYS[5], KEYS[7] and KEYS[6]), pending}
end
if held and lease[1] == token then return granted() end
if late then return {'LATE'} end
local gone = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 1000)
if #gone > 0 then
  redis.call('ZREM', KEYS[2], unpack(gone))
  redis.call('ZREM', KEYS[3], unpack(gone))
end
local interrupts = ARGV[5] == 'interrupt'
if interrupts and redis.call('ZSCORE', KEYS[3], '!' .. token) then return {'INTERRUPTED'} end
local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if not held and (not first or first == token) then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'token', token, 'inv', ARGV[3], 'holder', ARGV[4], 'until', now + ARGV[6], 'member', ARGV[11], 'proc', ARGV[13], 'v', '1')
  redis.call('PEXPIRE', KEYS[1], ARGV[6] + ARGV[12])
  redis.call('ZREM', KEYS[2], token)
  redis.call('ZREM', KEYS[3], token)
  if KEYS[7] then
    if lease[5] then redis.call('ZREM', KEYS[7], lease[5]) end
    redis.call('ZADD', KEYS[7], now, ARGV[11])
  end
  return granted()
end
local invocation = held and lease[2] or ''
local function refused(outcome, waiting)
  return {outcome, invocation, waiting, held and lease[1] or '', held and lease[6] or ''}
end
if ARGV[5] == 'reject' then return refused('BUSY', 0) end
if not redis.call('ZSCORE', KEYS[2], token) then
  local overtaken = interrupts and redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(0') or {}
  if #overtaken > 0 and ARGV[10] ~= '1' then return {'INTERRUPTED'} end
  local waiting = redis.call('ZCARD', KEYS[2]) - #overtaken
  if waiting >= tonumber(ARGV[7]) then return refused('BUSY', waiting) end
  for _, other in ipairs(overtaken) do
    redis.call('ZREM', KEYS[2], other)
    redis.call('ZREM', KEYS[3], other)
    redis.call('ZADD', KEYS[3], now + ARGV[9], '!' .. other)
  end
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', KEYS[2], interrupts and -1 or (last and last + 1 or 0), token)
end
redis.call('ZADD', KEYS[3], now + ARGV[9], token)
redis.call('PEXPIRE', KEYS[2], ARGV[9])
redis.call('PEXPIRE', KEYS[3], ARGV[9])
if interrupts and ARGV[10] == '1' and held then
  local latest = math.min(tonumber(lease[4] or now + ARGV[8]), now + ARGV[8])
  redis.call('HSET', KEYS[1], 'latest', latest, 'until', math.min(tonumber(lease[3]), latest))
  redis.call('HSETNX', KEYS[1], 'stop', ARGV[3])
  redis.call('HSETNX', KEYS[1], 'why', 'RUN_INTERRUPTED')
end
return refused('WAIT', 0)
`);
