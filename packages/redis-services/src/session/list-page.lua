-- Reads one page of a list of sessions, ordered by lastUpdateTime and then by name. Removes expired sessions from the list first.
-- KEYS: list, expiries; for a user on Cluster also: outbox.
-- ARGV: deadline, offset, limit or '', 'asc' or 'desc'.
-- Returns: [total, outbox entries, members].
-- @include client/prelude
local list, expiries, outbox = KEYS[1], KEYS[2], KEYS[3]
local offset, limit, order = ARGV[2], ARGV[3], ARGV[4]
local expired = redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000)
while #expired > 0 do
  redis.call('ZREM', list, unpack(expired))
  redis.call('ZREM', expiries, unpack(expired))
  expired = redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000)
end
local entries = outbox and redis.call('LRANGE', outbox, 0, 99) or {}
local page = {redis.call('ZCARD', list), entries, {}}
local last = limit == '' and -1 or offset + limit - 1
if limit ~= '0' then
  page[3] = redis.call(order == 'desc' and 'ZREVRANGE' or 'ZRANGE', list, offset, last)
end
return page
