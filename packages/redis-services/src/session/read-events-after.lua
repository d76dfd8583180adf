-- Reads the events after a seq.
-- KEYS: record, events.
-- ARGV: deadline, seq, the incarnation that the seq belongs to or '', maximum number of events.
-- Returns: [record, seq of the first event, elements], or an empty list if the session does not exist. For another incarnation the
--   first event of the session is the first one.
-- @include client/prelude
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'ct', 'ut', 'seq', 'init', 'exp', 'cut')
if not record[1] or (record[7] and tonumber(record[7]) <= now) then return {} end
local cut = tonumber(record[8] or 0)
local after = (ARGV[3] == '' or ARGV[3] == record[2]) and tonumber(ARGV[2]) or 0
local first = math.max(after - cut, 0)
record[6] = ''
record[7] = ''
return {record, first + cut + 1, redis.call('LRANGE', KEYS[2], first, first + ARGV[4] - 1)}
