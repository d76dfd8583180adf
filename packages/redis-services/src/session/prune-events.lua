-- Deletes the oldest events of a session and stores the state before the first event that remains, in one step.
-- KEYS: record, events.
-- ARGV: deadline, number of events to delete, the new initial state, or '' if it does not change; then the head of the session when its
--   events were read: incarnation, last seq, number of events that were pruned before, marks ….
-- Returns: the number of deleted events, or -1 if the head has changed: then nothing is deleted. Or [LATE].
-- @include client/prelude
local record_key, events = KEYS[1], KEYS[2]
local record = redis.call('HMGET', record_key, 'inc', 'seq', 'cut', 'unfinished', 'wakeAt', 'openInterrupts', 'exp')
if record[7] and tonumber(record[7]) <= now then return -1 end
record[3] = record[3] or '0'
for i = 1, 6 do
  if (record[i] or '') ~= ARGV[i + 3] then return -1 end
end
if late then return {'LATE'} end
local count = tonumber(ARGV[2])
for _, element in ipairs(redis.call('LRANGE', events, 0, count - 1)) do
  redis.call('HDEL', record_key, string.match(element, '^[^\n]+\n([^\n]+)'))
end
redis.call('LTRIM', events, count, -1)
redis.call('HSET', record_key, 'cut', record[3] + count)
if ARGV[3] ~= '' then redis.call('HSET', record_key, 'init', ARGV[3]) end
return count
