import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * list-memories: entries after a number, as far as kinds, times and session are asked for. Looks at two thousand lines at most.
 * KEYS: head, log, entries, facts, sessions.
 * ARGV from 2: the number, how many entries, kinds ('turn,note', '' for all), from and to (s, or ''), session (or '').
 * Answers [the number to go on after or '' at the end, seq, element, …], or VERSION v.
 */
export const listMemories: RedisScript = redisScript(`
${MEMORY_LINES}
local _, _, _, version = head(KEYS[1])
if version then return {'VERSION', version} end
local after, count = ARGV[2], tonumber(ARGV[3])
local kinds, from, to, session = ',' .. ARGV[4] .. ',', tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local lines = {}
if session ~= '' then
  local members = redis.call('ZRANGEBYLEX', KEYS[5], '[' .. session .. '\\n', '(' .. session .. '\\v')
  for _, member in ipairs(members) do
    local id = string.sub(member, #session + 2)
    local seq = tonumber(redis.call('ZSCORE', KEYS[2], id))
    if seq > tonumber(after) then lines[#lines + 1] = {id, seq} end
  end
  table.sort(lines, function(a, b) return a[2] < b[2] end)
else
  local key = ARGV[4] == 'fact' and KEYS[4] or KEYS[2]
  local found = redis.call('ZRANGEBYSCORE', key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, 2000)
  for i = 1, #found, 2 do lines[#lines + 1] = {found[i], found[i + 1]} end
end
local answer = {''}
for i, line in ipairs(lines) do
  local element = redis.call('HGET', KEYS[3], line[1])
  if element then
    local time, kind = told(element)
    time = tonumber(time)
    local fits = ARGV[4] == '' or string.find(kinds, ',' .. kind .. ',', 1, true)
    if from and not (time and time >= from) then fits = false end
    if to and not (time and time < to) then fits = false end
    if fits then
      answer[#answer + 1] = string.format('%d', line[2])
      answer[#answer + 1] = element
    end
  end
  if i == 2000 or #answer > count * 2 then
    answer[1] = string.format('%d', line[2])
    break
  end
end
return answer
`);
