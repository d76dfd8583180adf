import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * remove-memories: puts tombstones in the place of entries, and takes the segments: what was written twice may be in any of them.
 * KEYS: head, log, entries, facts, sessions, segments, once.
 * ARGV from 2: 'ids', 'session' or 'everything', how long to remember that it was done (ms), '1' when the app knows of the user,
 * the time up to which everything is forgotten; then ids, or the session.
 * Answers how many went, NOT_FOUND when the app has to hear of the user first, VERSION v or LATE.
 */
export const removeMemories: RedisScript = redisScript(`
${MEMORY_LINES}
local known = redis.call('GET', KEYS[7])
if known then
  redis.call('PEXPIRE', KEYS[7], ARGV[3])
  return known
end
local seq, removals, forgotten, version = head(KEYS[1])
if version then return {'VERSION', version} end
if late then return {'LATE'} end
local what = ARGV[2]
if not seq then
  if what ~= 'everything' then return '0' end
  if ARGV[4] ~= '1' then return {'NOT_FOUND'} end
  seq, removals = 0, 0
end
local count = 0
local function remove(id)
  local element = redis.call('HGET', KEYS[3], id)
  if not element then return end
  unlist(element, id, KEYS[4], KEYS[5])
  seq = seq + 1
  count = count + 1
  redis.call('HDEL', KEYS[3], id)
  redis.call('ZADD', KEYS[2], seq, id)
end
if what == 'ids' then
  for i = 6, #ARGV do remove(ARGV[i]) end
elseif what == 'session' then
  local from, to = '[' .. ARGV[6] .. '\\n', '(' .. ARGV[6] .. '\\v'
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[5], from, to)) do remove(string.sub(member, #ARGV[6] + 2)) end
else
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do remove(id) end
  if not forgotten or tonumber(ARGV[5]) > forgotten then redis.call('HSET', KEYS[1], 'v', '1', 'until', ARGV[5]) end
end
if count > 0 then
  redis.call('HSET', KEYS[1], 'seq', string.format('%d', seq), 'removals', string.format('%d', removals + count))
  redis.call('UNLINK', KEYS[6])
end
redis.call('SET', KEYS[7], count, 'PX', ARGV[3])
return count
`);
