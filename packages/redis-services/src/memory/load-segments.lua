-- Reads the saved segments of a user's index.
-- KEYS: segments.
-- ARGV: deadline.
-- Returns: [field, value, …]: 'v' with the version, and for each analyzer 'u<analyzer>' with the last seq that it covers and
--   'b<analyzer>' with the content.
return redis.call('HGETALL', KEYS[1])
