-- Reads all fields of a hash, as a flat list under every protocol version.
-- KEYS: the hash.
-- ARGV: deadline.
-- Returns: [field, value, …].
return redis.call('HGETALL', KEYS[1])
