-- interim
-- @include client/prelude
local lease = redis.call('HMGET', KEYS[1], 'token', 'inv', 'until')
if not lease[1] or lease[2] ~= ARGV[2] or now >= tonumber(lease[3]) then return {} end
if late then return {'LATE'} end
redis.call('HSETNX', KEYS[1], 'stop', '')
redis.call('HSETNX', KEYS[1], 'why', 'RUN_ABORTED')
return {lease[1]}
