-- Extends a lease, but not beyond its latest expiry time. Also extends an expired lease if no run waits.
-- KEYS: lease, queue, record, events, user state; except on Cluster: app state.
-- ARGV: deadline, fence, ttl (ms), how long an expired lease is kept (ms).
-- Returns: [OK, remaining ms, head], [LEASE_LOST] or [LATE].
-- @include client/prelude
-- @include session/read-head
local lease_key, queue = KEYS[1], KEYS[2]
local ttl_ms, keep_ms = ARGV[3], ARGV[4]
local lease = redis.call('HMGET', lease_key, 'fence', 'until', 'latest')
if lease[1] ~= ARGV[2] then return {'LEASE_LOST'} end
local latest = tonumber(lease[3])
if latest and now >= latest then return {'LEASE_LOST'} end
if now >= tonumber(lease[2]) and redis.call('EXISTS', queue) == 1 then return {'LEASE_LOST'} end
if late then return {'LATE'} end
local expires = now + ttl_ms
if latest then expires = math.min(expires, latest) end
redis.call('HSET', lease_key, 'until', expires)
redis.call('PEXPIRE', lease_key, ttl_ms + keep_ms)
return {'OK', expires - now, read_head(KEYS[3], KEYS[4], KEYS[5], KEYS[6])}
