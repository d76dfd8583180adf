-- Removes a lease from the app's list of leases.
-- KEYS: app leases.
-- ARGV: deadline, member.
-- Returns: [OK].
redis.call('ZREM', KEYS[1], ARGV[2])
return {'OK'}
