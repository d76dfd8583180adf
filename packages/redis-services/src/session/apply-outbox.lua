-- On Cluster: applies entries of a user's outbox to the app's keys, each entry once and in order.
-- Several processes may apply the same entries, and may repeat them.
-- KEYS: app state, app list, app expiries, applied.
-- ARGV: deadline, the user whose outbox it is, entry ….
-- Returns: the number of the last applied entry.
-- The script derives the keys of other lists of the app from the app's keys: they share one slot.
-- @include client/prelude
-- @include session/drop-expired
local app_state, app_list, app_expiries, applied = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local user = redis.sha1hex(ARGV[2])
local base = string.sub(app_state, 1, -2)
local waiting = {base .. 'wu', base .. 'wd', base .. 'wi'}
local last = redis.call('HGET', applied, user) or '0'
for i = 3, #ARGV do
  local entry = cjson.decode(ARGV[i])
  if tonumber(entry.n) > tonumber(last) then
    if entry.s then redis.call('ZADD', app_list, entry.s, entry.m) end
    if entry.x then
      redis.call('ZADD', app_expiries, entry.x, entry.m)
    elseif entry.s then
      redis.call('ZREM', app_expiries, entry.m)
    end
    for i, time in ipairs(entry.w or {}) do
      if time == '' then redis.call('ZREM', waiting[i], entry.m) else redis.call('ZADD', waiting[i], time, entry.m) end
    end
    if entry.r then redis.call('ZREM', base .. 'r', entry.r) end
    for _, member in ipairs(entry.gone or {}) do
      for _, list in ipairs({app_list, app_expiries, unpack(waiting)}) do redis.call('ZREM', list, member) end
    end
    for j = 1, #entry.a, 2 do
      if entry.a[j + 1] == '' then
        redis.call('HDEL', app_state, entry.a[j])
      else
        redis.call('HSET', app_state, entry.a[j], entry.a[j + 1])
      end
    end
    if #entry.a > 0 then
      redis.call('HSETNX', app_state, 'v', '1')
      redis.call('HINCRBY', app_state, '#', 1)
    end
    last = entry.n
    redis.call('HSET', applied, user, last)
  end
end
drop_expired(app_list, app_expiries)
return last
