-- Reads how often a state was written.
-- KEYS: state.
-- ARGV: deadline.
-- Returns: the number of writes.
return tonumber(redis.call('HGET', KEYS[1], '#') or 0)
