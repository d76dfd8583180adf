-- Reads the names of the artifacts of a session or of a user.
-- KEYS: names.
-- ARGV: deadline.
-- Returns: [name, …], not sorted.
return redis.call('SMEMBERS', KEYS[1])
