-- Stores an event and its state changes once.
-- KEYS: record, events, user list, app list (on Cluster: outbox). With all keys also: state, lease, user state, user expiries; then,
--   except on Cluster: app state, app expiries.
-- ARGV: deadline, element, app list member, incarnation or ''. With all keys also: fence or '', the invocation that must hold the session
--   or '', '1' to write also for a duplicate (for WAIT), the numbers of marks and of pairs of session, user and app state; then pairs of
--   mark and value, then the pairs of state.
-- Returns: seq (on Cluster [seq, outbox entry …]), [DUPLICATE, seq, element, outbox entry …], [NOT_FOUND], [VERSION, v], [LEASE_LOST],
--   [NOT_RUNNING], [LATE], or [MORE, '1' if the session can expire] if the script must be called with all keys.
-- A session that waits (field `waits`) does not expire. Its time to live begins when its last mark is cleared.
-- The check for a duplicate comes before the checks of fence and deadline: a caller that repeats a call must receive the stored event.
-- @include client/prelude
local record_key, events, user_list = KEYS[1], KEYS[2], KEYS[3]
local has_all_keys = KEYS[5]
local on_cluster = has_all_keys and not KEYS[9]
local app_list, outbox = KEYS[4], KEYS[4]
local element, app_member, incarnation = ARGV[2], ARGV[3], ARGV[4]
local user_member = string.match(app_member, '^%Z+')
local time, id = string.match(element, '^([^\n]+)\n([^\n]+)')
local record = redis.call('HMGET', record_key, 'v', 'seq', 'ut', 'ttl', id, 'inc', 'waits')
if not record[1] or (incarnation ~= '' and incarnation ~= record[6]) then return {'NOT_FOUND'} end
if record[1] ~= '1' then return {'VERSION', record[1]} end
local ttl, waits = record[4], record[7]
if ttl then
  if tonumber(redis.call('HGET', record_key, 'exp') or now + 1) <= now then return {'NOT_FOUND'} end
  if not has_all_keys then return {'MORE', '1'} end
end
if waits and not has_all_keys then return {'MORE', ''} end
if record[5] then
  if has_all_keys and ARGV[7] == '1' then redis.call('HSET', record_key, 'v', '1') end
  local stored = redis.call('LINDEX', events, record[5] - 1 - (redis.call('HGET', record_key, 'cut') or 0))
  local entries = on_cluster and redis.call('LRANGE', outbox, 0, 99) or {}
  return {'DUPLICATE', record[5], stored, unpack(entries)}
end
if has_all_keys then
  local lease, fence, invocation = KEYS[6], ARGV[5], ARGV[6]
  -- An expired lease is valid until another run gets the session.
  if fence ~= '' and redis.call('HGET', lease, 'fence') ~= fence then return {'LEASE_LOST'} end
  if invocation ~= '' then
    local found = redis.call('HMGET', lease, 'inv', 'until', 'stop')
    if found[1] ~= invocation or found[3] or now >= tonumber(found[2]) then return {'NOT_RUNNING'} end
  end
end
if late then return {'LATE'} end
local seq = record[2] + 1
-- A text, because Redis would convert a number twice.
local seq_text = string.format('%d', seq)
local back = record[3] - time
if back > 0 then
  back = math.max(back, tonumber(redis.call('HGET', record_key, 'back') or 0))
  redis.call('HSET', record_key, 'seq', seq_text, id, seq_text, 'back', back)
else
  redis.call('HSET', record_key, 'seq', seq_text, id, seq_text, 'ut', time)
end
redis.call('RPUSH', events, element)
if back < 0 then
  -- Redis stores and compares whole numbers faster than fractions.
  local micros = string.format('%.0f', time * 1000000)
  redis.call('ZADD', user_list, micros, user_member)
  if not on_cluster then redis.call('ZADD', app_list, micros, app_member) end
end
if not has_all_keys then return seq end

-- The shared code is included here, because its function definitions would slow down the short append above.
-- @include session/apply-state
-- @include session/add-to-outbox
-- @include session/list-waiting
-- @include session/set-expiry
local state, user_state, user_expiries, app_state, app_expiries = KEYS[5], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local app_count = tonumber(ARGV[11])
local index = apply_state(record_key, 12, tonumber(ARGV[8]), false)
index = apply_state(state, index, tonumber(ARGV[9]), false)
index = apply_state(user_state, index, tonumber(ARGV[10]), true)
if not on_cluster then apply_state(app_state, index, app_count, true) end
local times
if tonumber(ARGV[8]) > 0 or (waits and back < 0) then
  waits, times = list_waiting(record_key, user_state, not on_cluster and app_state, app_member)
end
local expires
if ttl then
  expires = set_expiry(record_key, events, state, not waits and ttl)
  add_expiry(user_list, user_expiries, expires, user_member)
  if not on_cluster then add_expiry(app_list, app_expiries, expires, app_member) end
end
if not on_cluster then return seq end
if back < 0 or ttl or times or app_count > 0 then
  local micros = string.format('%.0f', (back > 0 and record[3] or time) * 1000000)
  local entry = {m = app_member, s = micros, w = times, a = {}}
  if expires then entry.x = string.format('%.0f', expires) end
  for i = index, index + app_count * 2 - 1 do entry.a[#entry.a + 1] = ARGV[i] end
  add_to_outbox(outbox, user_state, entry)
end
return {seq, unpack(redis.call('LRANGE', outbox, 0, 99))}
