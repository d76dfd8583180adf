-- Deletes a record.
-- KEYS: records, expiries.
-- ARGV: deadline, field of the record.
-- Returns: [OK] or [LATE].
-- @include client/prelude
if late then return {'LATE'} end
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
return {'OK'}
