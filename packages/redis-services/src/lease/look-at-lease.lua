-- interim
-- @include client/prelude
local lease = redis.call('HMGET', KEYS[1], 'token', 'inv', 'holder', 'until', 'stop', 'why')
if not lease[1] then return {} end
return {lease[1], lease[2], lease[3], lease[4], lease[4] - now, lease[5] or '', lease[6] or ''}
