-- Deletes all records of a user.
-- KEYS: records, expiries.
-- ARGV: deadline.
-- Returns: [OK] or [LATE].
-- @include client/prelude
if late then return {'LATE'} end
redis.call('UNLINK', KEYS[1], KEYS[2])
return {'OK'}
