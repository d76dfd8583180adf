-- Adds a user to the app's list of users with memory, before the first write. On Cluster the list is in another slot than the memory.
-- KEYS: the app's memory users.
-- ARGV: deadline, user.
-- Returns: [OK] or [LATE].
-- @include client/prelude
if late then return {'LATE'} end
redis.call('ZADD', KEYS[1], 0, ARGV[2])
return {'OK'}
