-- interim
-- @include client/prelude
redis.call('ZREM', KEYS[1], unpack(ARGV, 2))
return {'OK'}
