-- Reads sessions of one user without their events.
-- KEYS: user state, then record and state of each session.
-- ARGV: deadline.
-- Returns: [user state, then record and state of each session]. Both are empty for a session that does not exist.
-- @include client/prelude
local summaries = {redis.call('HGETALL', KEYS[1])}
for i = 2, #KEYS, 2 do
  local record = redis.call('HMGET', KEYS[i], 'v', 'inc', 'ct', 'ut', 'seq', 'unfinished', 'wakeAt', 'openInterrupts', 'exp', 'from')
  if not record[1] or (record[9] and tonumber(record[9]) <= now) then
    summaries[#summaries + 1] = {}
    summaries[#summaries + 1] = {}
  else
    summaries[#summaries + 1] = record
    summaries[#summaries + 1] = redis.call('HGETALL', KEYS[i + 1])
  end
end
return summaries
