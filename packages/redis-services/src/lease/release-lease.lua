-- interim
-- @include client/prelude
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[2])
if redis.call('HGET', KEYS[1], 'token') == ARGV[2] then redis.call('DEL', KEYS[1]) end
if KEYS[4] then redis.call('ZREM', KEYS[4], ARGV[3]) end
return {'OK'}
