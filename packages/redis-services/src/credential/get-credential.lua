-- Reads a record, also one that has expired and was not removed yet.
-- KEYS: records.
-- ARGV: deadline, field of the record.
-- Returns: [value], or an empty list if the record does not exist.
local value = redis.call('HGET', KEYS[1], ARGV[2])
return value and {value} or {}
