-- On Cluster: adds a lease to the app's list of leases.
-- KEYS: app leases.
-- ARGV: deadline, member.
-- Returns: [OK] or [LATE].
-- @include client/prelude
if late then return {'LATE'} end
redis.call('ZADD', KEYS[1], now, ARGV[2])
return {'OK'}
