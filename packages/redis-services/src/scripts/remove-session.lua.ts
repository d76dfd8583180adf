import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { QUEUE_FOR_APP } from './queue-for-app.lua.ts';

/**
 * remove-session: takes a session with its events and state.
 * KEYS: record, events, state, user state, user list, user ends, once; then app list, app ends, or on Cluster pending.
 * ARGV from 2: member, app member, the seq it must end with or '', how long to remember that it was done (ms).
 * Answers [whether it was there, pending …] or LATE. A removal that is sent again within that time answers 1 again.
 */
export const removeSession: RedisScript = redisScript(`
${QUEUE_FOR_APP}
local function answer(there)
  if KEYS[9] then return {there} end
  return {there, unpack(redis.call('LRANGE', KEYS[8], 0, 99))}
end
if redis.call('EXISTS', KEYS[7]) == 1 then
  redis.call('PEXPIRE', KEYS[7], ARGV[5])
  return answer(1)
end
local record = redis.call('HMGET', KEYS[1], 'v', 'seq', 'exp')
if not record[1] or (record[3] and tonumber(record[3]) <= now) then return answer(0) end
if ARGV[4] ~= '' and record[2] ~= ARGV[4] then return answer(0) end
if late then return {'LATE'} end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
redis.call('ZREM', KEYS[5], ARGV[2])
redis.call('ZREM', KEYS[6], ARGV[2])
if KEYS[9] then
  redis.call('ZREM', KEYS[8], ARGV[3])
  redis.call('ZREM', KEYS[9], ARGV[3])
end
redis.call('SET', KEYS[7], '', 'PX', ARGV[5])
if not KEYS[9] then queue(KEYS[8], KEYS[4], {gone = {ARGV[3]}, a = {}}) end
return answer(1)
`);
