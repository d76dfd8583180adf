-- Shared code: `set_expiry(record, events, state, ttl)` sets when a session expires, and returns that time (ms). Without `ttl` the session
-- does not expire, and the result is nil. `add_expiry(list, expiries, time, member)` writes the time to a list of sessions.
-- @include session/drop-expired
local function set_expiry(record, events, state, ttl)
  local expires = ttl and now + ttl or nil
  if expires then redis.call('HSET', record, 'exp', expires) else redis.call('HDEL', record, 'exp') end
  for _, key in ipairs({record, events, state}) do
    if ttl then redis.call('PEXPIRE', key, ttl) else redis.call('PERSIST', key) end
  end
  return expires
end
local function add_expiry(list, expiries, time, member)
  if time then redis.call('ZADD', expiries, time, member) else redis.call('ZREM', expiries, member) end
  drop_expired(list, expiries)
end
