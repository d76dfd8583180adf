-- Deletes the oldest events of a session, at most 1000 in one step. Stops at the first event that remains, so seq has no gaps.
-- KEYS: record, events.
-- ARGV: deadline, time (s) from which events remain, or ''; number of events at the end that remain.
-- Returns: [number of deleted events, 1 if the script should be called again], or [LATE].
-- @include client/prelude
local record = redis.call('HMGET', KEYS[1], 'v', 'seq', 'cut')
if record[1] ~= '1' then return {0, 0} end
if late then return {'LATE'} end
local cut = tonumber(record[3] or 0)
local most = math.min(record[2] - cut - ARGV[3], 1000)
if most <= 0 then return {0, 0} end
local count = 0
for _, element in ipairs(redis.call('LRANGE', KEYS[2], 0, most - 1)) do
  local time, id = string.match(element, '^([^\n]+)\n([^\n]+)')
  if ARGV[2] ~= '' and tonumber(time) >= tonumber(ARGV[2]) then break end
  redis.call('HDEL', KEYS[1], id)
  count = count + 1
end
if count > 0 then
  redis.call('LTRIM', KEYS[2], count, -1)
  redis.call('HSET', KEYS[1], 'cut', cut + count)
end
return {count, count == 1000 and 1 or 0}
