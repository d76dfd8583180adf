-- Shared code: `drop_expired(list, expiries)` removes up to 20 expired sessions from a list of sessions.
-- If all sessions of the list expire, the list itself expires with the last of them. So nothing remains of users whose
-- sessions are never listed again.
local function drop_expired(list, expiries)
  local expired = redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 20)
  if #expired > 0 then
    redis.call('ZREM', list, unpack(expired))
    redis.call('ZREM', expiries, unpack(expired))
  end
  local last = redis.call('ZRANGE', expiries, -1, -1, 'WITHSCORES')[2]
  -- Each member of `expiries` is also in the list.
  if last and redis.call('ZCARD', list) == redis.call('ZCARD', expiries) then
    local remaining_ms = last - now + 1000
    redis.call('PEXPIRE', list, remaining_ms)
    redis.call('PEXPIRE', expiries, remaining_ms)
  else
    redis.call('PERSIST', list)
    redis.call('PERSIST', expiries)
  end
end
