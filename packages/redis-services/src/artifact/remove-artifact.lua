-- Deletes all versions of one artifact. A new version continues its numbers.
-- KEYS: versions, names.
-- ARGV: deadline, file name.
-- Returns: [OK] or [LATE].
-- @include client/prelude
if late then return {'LATE'} end
redis.call('UNLINK', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[2])
return {'OK'}
