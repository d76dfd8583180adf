-- Removes the lease or the place in the queue with a fence. Has no effect if there is neither. Also runs after its deadline: the caller
-- has given up the session.
-- KEYS: lease, queue, waiter deadlines, record; except on Cluster: app leases.
-- ARGV: deadline, fence, member of app leases, the last seq that the session must have or '', then pairs of mark and value to store with
--   the release.
-- Returns: [1], or [0] if the session has another last seq: then nothing changes.
-- @include client/prelude
-- @include session/apply-state
local lease_key, queue, waiter_deadlines, record_key, app_leases = unpack(KEYS)
local fence, app_member, last_seq = ARGV[2], ARGV[3], ARGV[4]
if redis.call('HGET', lease_key, 'fence') == fence then
  local record = redis.call('HMGET', record_key, 'seq', 'exp')
  local exists = record[1] and not (record[2] and tonumber(record[2]) <= now)
  if exists and last_seq ~= '' and record[1] ~= last_seq then return {0} end
  if exists then apply_state(record_key, 5, (#ARGV - 4) / 2, false) end
  redis.call('DEL', lease_key)
end
redis.call('ZREM', queue, fence)
redis.call('ZREM', waiter_deadlines, fence)
if app_leases then redis.call('ZREM', app_leases, app_member) end
return {1}
