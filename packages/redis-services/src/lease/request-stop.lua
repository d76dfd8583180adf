-- Stores a stop request for the invocation that has the session. Only the first request of a lease is stored.
-- KEYS: lease.
-- ARGV: deadline, invocation.
-- Returns: [fence of the lease], an empty list if the invocation has no live lease, or [LATE].
-- @include client/prelude
local lease = redis.call('HMGET', KEYS[1], 'fence', 'inv', 'until')
if not lease[1] or lease[2] ~= ARGV[2] or now >= tonumber(lease[3]) then return {} end
if late then return {'LATE'} end
redis.call('HSETNX', KEYS[1], 'stop', '')
return {lease[1]}
