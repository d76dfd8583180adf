-- Reads the records of sessions, without events and state.
-- KEYS: record ….
-- ARGV: deadline.
-- Returns: for each session its record, or an empty list if it does not exist.
-- @include client/prelude
local records = {}
for i, key in ipairs(KEYS) do
  local record = redis.call('HMGET', key, 'v', 'inc', 'ct', 'ut', 'seq', 'unfinished', 'wakeAt', 'openInterrupts', 'exp')
  records[i] = record[1] and not (record[9] and tonumber(record[9]) <= now) and record or {}
end
return records
