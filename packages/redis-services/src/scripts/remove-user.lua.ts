import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { ENCODE_NAME } from './encode-name.lua.ts';
import { QUEUE_FOR_APP } from './queue-for-app.lua.ts';

/**
 * remove-user: takes a user's sessions, a thousand at most in one step, and with the last of them the user's state. Names of the
 * sessions' keys are made from those of the user: same slot. Leases that ran out go along; one that holds is its run's to let go.
 * KEYS: user state, user list, user ends; then app list, app ends, app leases, or on Cluster pending.
 * ARGV from 2: user, how long the number of the pending writes is remembered (ms).
 * Answers [whether to ask again, pending …] or LATE.
 */
export const removeUser: RedisScript = redisScript(`
${ENCODE_NAME}
${QUEUE_FOR_APP}
if late then return {'LATE'} end
local base = string.sub(KEYS[1], 1, -2)
local ids = redis.call('ZRANGE', KEYS[2], 0, 999)
local members = {}
for _, id in ipairs(ids) do
  local name = ':' .. encode(id)
  redis.call('UNLINK', base .. 's' .. name, base .. 'e' .. name, base .. 'k' .. name)
  local lease = redis.call('HMGET', base .. 'r' .. name, 'until', 'member')
  if lease[1] and now >= tonumber(lease[1]) then
    redis.call('UNLINK', base .. 'r' .. name)
    if KEYS[6] then redis.call('ZREM', KEYS[6], lease[2]) end
  end
  local member = id .. string.char(0) .. ARGV[2]
  if KEYS[5] then
    redis.call('ZREM', KEYS[4], member)
    redis.call('ZREM', KEYS[5], member)
  else
    members[#members + 1] = member
  end
end
if #ids > 0 then
  redis.call('ZREM', KEYS[2], unpack(ids))
  redis.call('ZREM', KEYS[3], unpack(ids))
end
if #members > 0 then queue(KEYS[4], KEYS[1], {gone = members, a = {}}) end
local more = redis.call('EXISTS', KEYS[2])
if more == 0 then
  local number = not KEYS[5] and redis.call('HGET', KEYS[1], '@')
  redis.call('UNLINK', KEYS[1], KEYS[3])
  if number then
    redis.call('HSET', KEYS[1], '@', number)
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
end
if KEYS[5] then return {more} end
return {more, unpack(redis.call('LRANGE', KEYS[4], 0, 99))}
`);
