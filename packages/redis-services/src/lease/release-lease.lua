-- Removes the lease or the place in the queue with a fence. Has no effect if there is neither. Also runs after its deadline: the caller
-- has given up the session. The script derives the keys of events, state and lists from the other keys: they share their slots.
-- KEYS: lease, queue, waiter deadlines, record, user state; except on Cluster: app leases.
-- ARGV: deadline, fence, member of app leases, app list member, the last seq that the session must have or '', then pairs of mark and
--   value to store with the release.
-- Returns: [1, outbox entry …], or [0] if the session has another last seq: then nothing changes.
-- @include client/prelude
-- @include session/apply-state
-- @include session/add-to-outbox
-- @include session/list-waiting
-- @include session/set-expiry
local lease_key, queue, waiter_deadlines, record_key, user_state, app_leases = unpack(KEYS)
local fence, lease_member, app_member, last_seq = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local user_base, app_base = string.sub(user_state, 1, -2), app_leases and string.sub(app_leases, 1, -2)
local function write_marks()
  apply_state(record_key, 6, (#ARGV - 5) / 2, false)
  local waits, times = list_waiting(record_key, user_state, app_base and app_base .. 'a', app_member)
  local record = redis.call('HMGET', record_key, 'ttl', 'ut')
  local expires
  if record[1] then
    local suffix = string.sub(record_key, #user_base + 2)
    expires = set_expiry(record_key, user_base .. 'e' .. suffix, user_base .. 'k' .. suffix, not waits and record[1])
    add_expiry(user_base .. 'l', user_base .. 'x', expires, string.match(app_member, '^%Z+'))
    if app_base then add_expiry(app_base .. 'l', app_base .. 'x', expires, app_member) end
  end
  if app_base then return {1} end
  local entry = {m = app_member, s = record[2], w = times, r = lease_member, a = {}}
  if expires then entry.x = string.format('%.0f', expires) end
  add_to_outbox(user_base .. 'p', user_state, entry)
  return {1, unpack(redis.call('LRANGE', user_base .. 'p', 0, 99))}
end
local reply = {1}
if redis.call('HGET', lease_key, 'fence') == fence then
  local record = redis.call('HMGET', record_key, 'seq', 'exp')
  local exists = record[1] and not (record[2] and tonumber(record[2]) <= now)
  if exists and last_seq ~= '' and record[1] ~= last_seq then return {0} end
  if exists and #ARGV > 5 then reply = write_marks() end
  redis.call('DEL', lease_key)
end
redis.call('ZREM', queue, fence)
redis.call('ZREM', waiter_deadlines, fence)
if app_leases then redis.call('ZREM', app_leases, lease_member) end
return reply
