import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * prune-events: takes the oldest events of a session, at most a thousand in one step.
 * KEYS: record, events.
 * ARGV from 2: the time (s) from which on events stay, or ''; how many of the last stay.
 * Answers how many it took, and whether to ask again; LATE. Stops at the first that stays: seq has no hole.
 */
export const pruneEvents: RedisScript = redisScript(`
local record = redis.call('HMGET', KEYS[1], 'v', 'seq', 'cut')
if record[1] ~= '1' then return {0, 0} end
if late then return {'LATE'} end
local cut = tonumber(record[3] or 0)
local most = math.min(record[2] - cut - ARGV[3], 1000)
if most <= 0 then return {0, 0} end
local count = 0
for _, element in ipairs(redis.call('LRANGE', KEYS[2], 0, most - 1)) do
  local time, id = string.match(element, '^([^\\n]+)\\n([^\\n]+)')
  if ARGV[2] ~= '' and tonumber(time) >= tonumber(ARGV[2]) then break end
  redis.call('HDEL', KEYS[1], id)
  count = count + 1
end
if count > 0 then
  redis.call('LTRIM', KEYS[2], count, -1)
  redis.call('HSET', KEYS[1], 'cut', cut + count)
end
return {count, count == 1000 and 1 or 0}
`);
