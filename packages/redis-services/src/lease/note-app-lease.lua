-- interim
-- @include client/prelude
if late then return {'LATE'} end
redis.call('ZADD', KEYS[1], now, ARGV[2])
return {'OK'}
