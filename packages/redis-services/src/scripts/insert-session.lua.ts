import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { APPLY_STATE } from './apply-state.lua.ts';
import { KEEP_LIST } from './keep-list.lua.ts';
import { QUEUE_FOR_APP } from './queue-for-app.lua.ts';

/**
 * insert-session: makes a session unless there is one.
 * KEYS: record, events, state, user state, user list, user ends; then app state, app list, app ends, or on Cluster pending.
 * ARGV from 2: incarnation, create time, last update time, initial state, time to live (ms) or '', member, app member, furthest that a time
 * goes back, and how many pairs of session, user and app state and how many events (id, element) follow.
 * Answers [OK, pending …], [EXISTS, pending …] or LATE. The same incarnation again is OK: it was stored already.
 */
export const insertSession: RedisScript = redisScript(`
${APPLY_STATE}
${QUEUE_FOR_APP}
${KEEP_LIST}
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'exp')
if record[1] and not (record[3] and tonumber(record[3]) <= now) then
  local pending = KEYS[8] and {} or redis.call('LRANGE', KEYS[7], 0, 99)
  if record[2] ~= ARGV[2] then return {'EXISTS', unpack(pending)} end
  redis.call('HSET', KEYS[1], 'inc', ARGV[2])
  return {'OK', unpack(pending)}
end
if late then return {'LATE'} end
local count = tonumber(ARGV[13])
redis.call('HSET', KEYS[1], 'v', '1')
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'v', '1', 'inc', ARGV[2], 'ct', ARGV[3], 'ut', ARGV[4], 'init', ARGV[5], 'seq', count, 'back', ARGV[9])
local from = apply(KEYS[3], 14, tonumber(ARGV[10]), false)
from = apply(KEYS[4], from, tonumber(ARGV[11]), true)
local appFrom = from
if KEYS[8] then apply(KEYS[7], from, tonumber(ARGV[12]), true) end
from = from + ARGV[12] * 2
for i = 1, count do
  redis.call('HSET', KEYS[1], ARGV[from], i)
  redis.call('RPUSH', KEYS[2], ARGV[from + 1])
  from = from + 2
end
redis.call('ZADD', KEYS[5], ARGV[4], ARGV[7])
redis.call('ZREM', KEYS[6], ARGV[7])
if KEYS[8] then
  redis.call('ZADD', KEYS[8], ARGV[4], ARGV[8])
  redis.call('ZREM', KEYS[9], ARGV[8])
end
local ends
if ARGV[6] ~= '' then
  ends = now + ARGV[6]
  redis.call('HSET', KEYS[1], 'ttl', ARGV[6], 'exp', ends)
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[6]) end
  redis.call('ZADD', KEYS[6], ends, ARGV[7])
  if KEYS[9] then redis.call('ZADD', KEYS[9], ends, ARGV[8]) end
end
keep(KEYS[5], KEYS[6])
if KEYS[9] then
  keep(KEYS[8], KEYS[9])
  return {'OK'}
end
local entry = {m = ARGV[8], s = ARGV[4], a = {}}
if ends then entry.x = string.format('%.0f', ends) end
for i = appFrom, appFrom + ARGV[12] * 2 - 1 do entry.a[#entry.a + 1] = ARGV[i] end
queue(KEYS[7], KEYS[4], entry)
return {'OK', unpack(redis.call('LRANGE', KEYS[7], 0, 99))}
`);
