import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * put-memories: writes the entries that the mode lets in, each under the next number of its user's log.
 * KEYS: head, log, entries, facts, sessions, once.
 * ARGV from 2: mode, how long to remember that it was done (ms), '1' when the app knows of the user; then id and element of each.
 * Answers 'seq position …' (positions from 0), NOT_FOUND when the app has to hear of the user first, VERSION v or LATE. What is
 * sent again within that time is answered as the first was.
 */
export const putMemories: RedisScript = redisScript(`
${MEMORY_LINES}
local known = redis.call('GET', KEYS[6])
if known then
  redis.call('PEXPIRE', KEYS[6], ARGV[3])
  return known
end
local seq, removals, forgotten, version = head(KEYS[1])
if version then return {'VERSION', version} end
if late then return {'LATE'} end
local mode = ARGV[2]
if not seq then
  if mode == 'ifPresent' then return '0' end
  if ARGV[4] ~= '1' then return {'NOT_FOUND'} end
end
seq = seq or 0
local done, answer = {}, {}
for i = 5, #ARGV, 2 do
  local id, element = ARGV[i], ARGV[i + 1]
  local old = redis.call('HGET', KEYS[3], id)
  local time, kind, session = told(element)
  local may = not done[id]
  if may and mode == 'ifPresent' then
    may = old
  elseif may and mode == 'ifAbsent' then
    may = not redis.call('ZSCORE', KEYS[2], id) and not (forgotten and time ~= '' and tonumber(time) <= forgotten)
  end
  if may then
    done[id] = true
    if old then unlist(old, id, KEYS[4], KEYS[5]) end
    seq = seq + 1
    redis.call('HSET', KEYS[3], id, element)
    redis.call('ZADD', KEYS[2], seq, id)
    if kind == 'fact' then redis.call('ZADD', KEYS[4], seq, id) end
    if session ~= '' then redis.call('ZADD', KEYS[5], 0, session .. '\\n' .. id) end
    answer[#answer + 1] = string.format('%d', (i - 5) / 2)
  end
end
local at = string.format('%d', seq)
redis.call('HSET', KEYS[1], 'v', '1', 'seq', at)
local text = at .. (#answer > 0 and ' ' or '') .. table.concat(answer, ' ')
redis.call('SET', KEYS[6], text, 'PX', ARGV[3])
return text
`);
