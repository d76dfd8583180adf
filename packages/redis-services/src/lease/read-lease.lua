-- Reads the lease of a session.
-- KEYS: lease.
-- ARGV: deadline.
-- Returns: [fence, invocation, holder, remaining ms, process or ''], or an empty list if there is no lease.
-- @include client/prelude
local lease = redis.call('HMGET', KEYS[1], 'fence', 'inv', 'holder', 'until', 'proc')
if not lease[1] then return {} end
return {lease[1], lease[2], lease[3], lease[4] - now, lease[5] or ''}
