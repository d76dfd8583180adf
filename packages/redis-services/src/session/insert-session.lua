-- Creates a session if it does not exist.
-- KEYS: record, events, state, user state, user list, user expiries; then app state, app list, app expiries, or on Cluster: outbox.
-- ARGV: deadline, incarnation, create time, last update time, initial state, time to live (ms) or '', user list member, app list
--   member, largest step back in the events' times, the numbers of pairs of session, user and app state, the number of events, the
--   number of marks, origin of a copy (JSON) or '', the number of events before the first one; then pairs of mark and value, the pairs
--   of state, then id and element of each event.
-- Returns: [OK, outbox entry …], [EXISTS, outbox entry …] or [LATE]. OK if the incarnation is stored already: the call was repeated.
-- @include client/prelude
-- @include session/apply-state
-- @include session/add-to-outbox
-- @include session/list-waiting
-- @include session/set-expiry
local record_key, events, state, user_state, user_list, user_expiries = unpack(KEYS)
local on_cluster = not KEYS[8]
local app_state, app_list, app_expiries, outbox = KEYS[7], KEYS[8], KEYS[9], KEYS[7]
local incarnation, ttl, user_member, app_member = ARGV[2], ARGV[6], ARGV[7], ARGV[8]
local record = redis.call('HMGET', record_key, 'v', 'inc', 'exp')
if record[1] and not (record[3] and tonumber(record[3]) <= now) then
  local entries = on_cluster and redis.call('LRANGE', outbox, 0, 99) or {}
  if record[2] ~= incarnation then return {'EXISTS', unpack(entries)} end
  redis.call('HSET', record_key, 'inc', incarnation)
  return {'OK', unpack(entries)}
end
if late then return {'LATE'} end
local event_count, cut = tonumber(ARGV[13]), tonumber(ARGV[16])
redis.call('HSET', record_key, 'v', '1')
redis.call('UNLINK', record_key, events, state)
redis.call('HSET', record_key, 'v', '1', 'inc', incarnation, 'ct', ARGV[3], 'ut', ARGV[4], 'init', ARGV[5], 'seq', cut + event_count, 'back', ARGV[9])
if cut > 0 then redis.call('HSET', record_key, 'cut', cut) end
if ARGV[15] ~= '' then redis.call('HSET', record_key, 'from', ARGV[15]) end
local index = apply_state(record_key, 17, tonumber(ARGV[14]), false)
index = apply_state(state, index, tonumber(ARGV[10]), false)
index = apply_state(user_state, index, tonumber(ARGV[11]), true)
local first_of_app, app_count = index, tonumber(ARGV[12])
if not on_cluster then apply_state(app_state, index, app_count, true) end
index = index + app_count * 2
for i = 1, event_count do
  redis.call('HSET', record_key, ARGV[index], cut + i)
  redis.call('RPUSH', events, ARGV[index + 1])
  index = index + 2
end
local micros = string.format('%.0f', ARGV[4] * 1000000)
redis.call('ZADD', user_list, micros, user_member)
if not on_cluster then redis.call('ZADD', app_list, micros, app_member) end
local waits, times = false, nil
if tonumber(ARGV[14]) > 0 then
  waits, times = list_waiting(record_key, user_state, not on_cluster and app_state, app_member)
end
local expires
if ttl ~= '' then
  redis.call('HSET', record_key, 'ttl', ttl)
  expires = set_expiry(record_key, events, state, not waits and ttl)
end
add_expiry(user_list, user_expiries, expires, user_member)
if not on_cluster then
  add_expiry(app_list, app_expiries, expires, app_member)
  return {'OK'}
end
local entry = {m = app_member, s = micros, w = times, a = {}}
if expires then entry.x = string.format('%.0f', expires) end
for i = first_of_app, first_of_app + app_count * 2 - 1 do entry.a[#entry.a + 1] = ARGV[i] end
add_to_outbox(outbox, user_state, entry)
return {'OK', unpack(redis.call('LRANGE', outbox, 0, 99))}
