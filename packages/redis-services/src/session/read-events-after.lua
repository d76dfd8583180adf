-- Reads the events after a seq.
-- KEYS: record, events.
-- ARGV: deadline, seq, maximum number of events.
-- Returns: [version, incarnation, seq of the first event, elements], or an empty list if the session does not exist.
-- @include client/prelude
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'exp', 'cut')
if not record[1] or (record[3] and tonumber(record[3]) <= now) then return {} end
local cut = tonumber(record[4] or 0)
local first = math.max(ARGV[2] - cut, 0)
return {record[1], record[2], first + cut + 1, redis.call('LRANGE', KEYS[2], first, first + ARGV[3] - 1)}
