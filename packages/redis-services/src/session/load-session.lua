-- Reads a session and a window of its events.
-- KEYS: record, events, state, user state; then app state, or on Cluster: outbox.
-- ARGV: deadline, afterSeq, afterTimestamp or '', numRecentEvents or '', '1' on Cluster, '1' to leave out the events.
-- Returns: [OK, record, state, user state, app state or outbox entries, seq of the first event, elements], or [NOT_FOUND, app state or
--   outbox entries]. If times go back in the session, the first seq is 0 and the elements are pairs of element and seq, newest first.
-- Finds a window by time with a binary search. The field 'back' is the largest step back in the events' times. So all events before an
-- event that is older than `afterTimestamp - back` are too old. The events after that position are checked one by one.
-- @include client/prelude
local record_key, events = KEYS[1], KEYS[2]
local after_seq, after_timestamp, max_events = tonumber(ARGV[2]), ARGV[3], ARGV[4]
local app = ARGV[5] == '1' and redis.call('LRANGE', KEYS[5], 0, 99) or redis.call('HGETALL', KEYS[5])
local record = redis.call('HMGET', record_key, 'v', 'inc', 'ct', 'ut', 'seq', 'unfinished', 'wakeAt', 'openInterrupts', 'init', 'exp', 'cut', 'back', 'from')
if not record[1] or (record[10] and tonumber(record[10]) <= now) then return {'NOT_FOUND', app} end
if ARGV[6] == '1' then return {'OK', record, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), app, 0, {}} end
local cut = tonumber(record[11] or 0)
local first = math.max(after_seq - cut, 0)
local last = record[5] - cut - 1
local function time_of(element) return tonumber(string.match(element, '^[^\n]+')) end
if after_timestamp ~= '' and first <= last then
  local after, back = tonumber(after_timestamp), tonumber(record[12] or 0)
  -- Times are decimal fractions: the margin covers rounding errors of the subtraction.
  local margin = back > 0 and 0.001 or 0
  local low, high = first, last + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if time_of(redis.call('LINDEX', events, middle)) < after - back - margin then low = middle + 1 else high = middle end
  end
  first = low
  if back > 0 then
    local found, remaining, position = {}, tonumber(max_events ~= '' and max_events or last + 1), last
    while position >= first and remaining > 0 do
      local from = math.max(position - 99, first)
      local chunk = redis.call('LRANGE', events, from, position)
      for i = #chunk, 1, -1 do
        if remaining > 0 and time_of(chunk[i]) >= after then
          found[#found + 1] = chunk[i]
          found[#found + 1] = from + i + cut
          remaining = remaining - 1
        end
      end
      position = from - 1
    end
    return {'OK', record, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), app, 0, found}
  end
end
if max_events ~= '' then first = math.max(first, last + 1 - max_events) end
local elements = first > last and {} or redis.call('LRANGE', events, first, last)
return {'OK', record, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4]), app, first + cut + 1, elements}
