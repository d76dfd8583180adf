-- Deletes a session with its events and state.
-- KEYS: record, events, state, user state, user list, user expiries, idempotency key; then app list, app expiries, or on Cluster: outbox.
-- ARGV: deadline, user list member, app list member, the last seq that the session must have or '', how long to keep the
--   idempotency key (ms), '1' to keep a session that waits.
-- Returns: [1 if the session existed, otherwise 0; outbox entry …], or [LATE]. A repeated call returns 1 again.
-- @include client/prelude
-- @include session/add-to-outbox
-- @include session/list-waiting
local record_key, events, state, user_state, user_list, user_expiries, idempotency_key = unpack(KEYS)
local on_cluster = not KEYS[9]
local app_list, app_expiries, outbox = KEYS[8], KEYS[9], KEYS[8]
local user_member, app_member, last_seq, remember_ms = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local function reply(existed)
  if not on_cluster then return {existed} end
  return {existed, unpack(redis.call('LRANGE', outbox, 0, 99))}
end
if redis.call('EXISTS', idempotency_key) == 1 then
  redis.call('PEXPIRE', idempotency_key, remember_ms)
  return reply(1)
end
local record = redis.call('HMGET', record_key, 'v', 'seq', 'exp', 'waits')
if not record[1] or (record[3] and tonumber(record[3]) <= now) then return reply(0) end
if last_seq ~= '' and record[2] ~= last_seq then return reply(0) end
if record[4] and ARGV[6] == '1' then return reply(0) end
if late then return {'LATE'} end
redis.call('UNLINK', record_key, events, state)
if record[4] then
  local app_state = not on_cluster and string.sub(app_list, 1, -2) .. 'a'
  list_waiting(record_key, user_state, app_state, app_member)
end
redis.call('ZREM', user_list, user_member)
redis.call('ZREM', user_expiries, user_member)
if not on_cluster then
  redis.call('ZREM', app_list, app_member)
  redis.call('ZREM', app_expiries, app_member)
end
redis.call('SET', idempotency_key, '', 'PX', remember_ms)
if on_cluster then add_to_outbox(outbox, user_state, {gone = {app_member}, a = {}}) end
return reply(1)
