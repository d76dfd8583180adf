-- Reads the members of the app's list of leases.
-- KEYS: app leases.
-- ARGV: deadline.
-- Returns: [member, …].
return redis.call('ZRANGE', KEYS[1], 0, -1)
