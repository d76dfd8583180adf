import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * load-session: reads a session and a window of its events.
 * KEYS: record, events, state, user state; then app state, or on Cluster pending.
 * ARGV from 2: afterSeq, afterTimestamp or '', numRecentEvents or '', '1' on Cluster.
 * Answers [OK, fields of the record, state, user state, app state or pending, seq of the first, elements], or [NOT_FOUND, app state or
 * pending]. Where times went back the first seq is 0 and elements are pairs of element and seq, newest first.
 * A window by time is found by halving: 'back' is the furthest that a time ever went back, so whatever stands before a time that is
 * older than that is too old too. What is looked at one by one is what stands after it.
 */
export const loadSession: RedisScript = redisScript(`
local apps = ARGV[5] == '1' and redis.call('LRANGE', KEYS[5], 0, 99) or redis.call('HGETALL', KEYS[5])
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'ct', 'ut', 'seq', 'init', 'exp', 'cut', 'back')
if not record[1] or (record[7] and tonumber(record[7]) <= now) then return {'NOT_FOUND', apps} end
local cut = tonumber(record[8] or 0)
local first = math.max(tonumber(ARGV[2]) - cut, 0)
local last = record[5] - cut - 1
local events
local function timeAt(at) return tonumber(string.match(redis.call('LINDEX', KEYS[2], at), '^[^\\n]+')) end
if ARGV[3] ~= '' and first <= last then
  local after, back = tonumber(ARGV[3]), tonumber(record[9] or 0)
  local low, high = first, last + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if timeAt(middle) < after - back - (back > 0 and 0.001 or 0) then low = middle + 1 else high = middle end
  end
  first = low
  if back > 0 then
    local found, left, at = {}, tonumber(ARGV[4] ~= '' and ARGV[4] or last + 1), last
    while at >= first and left > 0 do
      local from = math.max(at - 99, first)
      local chunk = redis.call('LRANGE', KEYS[2], from, at)
      for i = #chunk, 1, -1 do
        if left > 0 and tonumber(string.match(chunk[i], '^[^\\n]+')) >= after then
          found[#found + 1] = chunk[i]
          found[#found + 1] = from + i + cut
          left = left - 1
        end
      end
      at = from - 1
    end
    return {'OK', record, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), apps, 0, found}
  end
end
if ARGV[4] ~= '' then first = math.max(first, last + 1 - ARGV[4]) end
if first > last then events = {} else events = redis.call('LRANGE', KEYS[2], first, last) end
return {'OK', record, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), apps, first + cut + 1, events}
`);
