-- Deletes at most 1000 sessions of a user, and the user's state with the last of them. Also deletes expired leases. A live
-- lease remains until its run releases it. The script derives keys of sessions from a key of the user, and keys of the app's lists from a
-- key of the app: they share their slots.
-- KEYS: user state, user list, user expiries; then app list, app expiries, app leases, or on Cluster: outbox.
-- ARGV: deadline, user, how long to keep the number of the last outbox entry (ms).
-- Returns: [1 if the script must be called again, otherwise 0; outbox entry …], or [LATE].
-- @include client/prelude
-- @include client/encode-name
-- @include session/add-to-outbox
local user_state, user_list, user_expiries = KEYS[1], KEYS[2], KEYS[3]
local on_cluster = not KEYS[5]
local app_list, app_expiries, app_leases, outbox = KEYS[4], KEYS[5], KEYS[6], KEYS[4]
if late then return {'LATE'} end
local base = string.sub(user_state, 1, -2)
local ids = redis.call('ZRANGE', user_list, 0, 999)
local app_members = {}
for _, id in ipairs(ids) do
  local suffix = ':' .. encode_name(id)
  redis.call('UNLINK', base .. 's' .. suffix, base .. 'e' .. suffix, base .. 'k' .. suffix)
  local lease_key = base .. 'r' .. suffix
  local lease = redis.call('HMGET', lease_key, 'until', 'member')
  if lease[1] and now >= tonumber(lease[1]) then
    redis.call('UNLINK', lease_key)
    if not on_cluster then redis.call('ZREM', app_leases, lease[2]) end
  end
  local app_member = id .. string.char(0) .. ARGV[2]
  if on_cluster then
    app_members[#app_members + 1] = app_member
  else
    redis.call('ZREM', app_list, app_member)
    redis.call('ZREM', app_expiries, app_member)
    if redis.call('SISMEMBER', base .. 'v', id) == 1 then
      local app_base = string.sub(app_list, 1, -2)
      for _, kind in ipairs({'wu', 'wd', 'wi'}) do redis.call('ZREM', app_base .. kind, app_member) end
    end
  end
end
if #ids > 0 then
  redis.call('ZREM', user_list, unpack(ids))
  redis.call('ZREM', user_expiries, unpack(ids))
  redis.call('SREM', base .. 'v', unpack(ids))
end
if #app_members > 0 then add_to_outbox(outbox, user_state, {gone = app_members, a = {}}) end
local more = redis.call('EXISTS', user_list)
if more == 0 then
  local number = on_cluster and redis.call('HGET', user_state, '@')
  redis.call('UNLINK', user_state, user_expiries)
  if number then
    redis.call('HSET', user_state, '@', number)
    redis.call('PEXPIRE', user_state, ARGV[3])
  end
end
if not on_cluster then return {more} end
return {more, unpack(redis.call('LRANGE', outbox, 0, 99))}
