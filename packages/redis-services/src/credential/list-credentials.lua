-- Reads the fields of a user's records.
-- KEYS: records.
-- ARGV: deadline.
-- Returns: [field, …], not sorted.
return redis.call('HKEYS', KEYS[1])
