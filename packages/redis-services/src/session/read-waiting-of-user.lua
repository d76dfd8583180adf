-- Reads one page of a user's waiting sessions of one kind. The script derives the keys of the records from the key of the set: they share
-- one slot.
-- KEYS: waiting sessions of the user.
-- ARGV: deadline, field of the mark, field of the time, the latest time (s), 'now' or '+inf', limit, time and id of the cursor, or '' and ''.
-- Returns: [1 if there are more sessions, otherwise 0; session, id for a cursor, record, …].
-- @include client/prelude
-- @include client/encode-name
local mark, field, before, limit, time, id = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
before = before == 'now' and now / 1000 or before == '+inf' and math.huge or tonumber(before)
local base = string.sub(KEYS[1], 1, -2) .. 's:'
local found = {}
for _, session in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local values = redis.call('HMGET', base .. encode_name(session), mark, field)
  local session_time = tonumber(values[2] or '')
  if values[1] and session_time <= before then
    -- Hexadecimal digits have the same order in every locale.
    local session_id = redis.sha1hex(session)
    if not time or session_time > time or (session_time == time and session_id > id) then
      found[#found + 1] = {session = session, time = session_time, id = session_id}
    end
  end
end
table.sort(found, function(a, b)
  if a.time ~= b.time then return a.time < b.time end
  return a.id < b.id
end)
local page = {#found > limit and 1 or 0}
for i = 1, math.min(limit, #found) do
  page[#page + 1] = found[i].session
  page[#page + 1] = found[i].id
  page[#page + 1] = redis.call('HMGET', base .. encode_name(found[i].session), 'v', 'inc', 'ct', 'ut', 'seq', 'unfinished', 'wakeAt', 'openInterrupts')
end
return page
