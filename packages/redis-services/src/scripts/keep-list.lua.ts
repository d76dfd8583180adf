/**
 * Lua for other scripts: `keep(list, ends)` takes a few sessions that expired out of a list and has the list itself go with the
 * last of its sessions where all expire, so that nothing stays of those whom nobody ever lists again.
 */
export const KEEP_LIST = `
local function keep(list, ends)
  local over = redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 20)
  if #over > 0 then
    redis.call('ZREM', list, unpack(over))
    redis.call('ZREM', ends, unpack(over))
  end
  local last = redis.call('ZRANGE', ends, -1, -1, 'WITHSCORES')[2]
  -- Whatever expires is in the list too.
  if last and redis.call('ZCARD', list) == redis.call('ZCARD', ends) then
    local left = last - now + 1000
    redis.call('PEXPIRE', list, left)
    redis.call('PEXPIRE', ends, left)
  else
    redis.call('PERSIST', list)
    redis.call('PERSIST', ends)
  end
end
`;
