-- interim
-- @include client/prelude
return redis.call('ZRANGE', KEYS[1], 0, -1)
