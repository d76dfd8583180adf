-- Stores or replaces a record, and removes records of the user that have expired.
-- KEYS: records, expiries.
-- ARGV: deadline, field of the record, its value, its expiry (s) or '', the time (s) by the caller's clock.
-- Returns: [OK] or [LATE].
-- If all records of the user expire, the keys expire a minute after the last of them. So nothing remains of abandoned sign-ins.
-- @include client/prelude
local records, expiries = KEYS[1], KEYS[2]
local field, expires_at, caller_now = ARGV[2], ARGV[4], tonumber(ARGV[5])
if late then return {'LATE'} end
local expired = redis.call('ZRANGEBYSCORE', expiries, '-inf', '(' .. ARGV[5], 'LIMIT', 0, 1000)
if #expired > 0 then
  redis.call('HDEL', records, unpack(expired))
  redis.call('ZREM', expiries, unpack(expired))
end
redis.call('HSET', records, field, ARGV[3])
if expires_at == '' then redis.call('ZREM', expiries, field) else redis.call('ZADD', expiries, expires_at, field) end
local last = redis.call('ZRANGE', expiries, -1, -1, 'WITHSCORES')[2]
-- Each member of `expiries` is also in the records.
local all_expire = last and redis.call('HLEN', records) == redis.call('ZCARD', expiries)
for _, key in ipairs({records, expiries}) do
  if all_expire then
    redis.call('PEXPIRE', key, string.format('%.0f', math.max(last - caller_now, 0) * 1000 + 60000))
  else
    redis.call('PERSIST', key)
  end
end
return {'OK'}
