-- interim
-- @include client/prelude
-- @include session/read-head
local lease = redis.call('HMGET', KEYS[1], 'token', 'until', 'latest')
if lease[1] ~= ARGV[2] or now >= tonumber(lease[3] or now + 1) then return {'LEASE_LOST'} end
if now >= tonumber(lease[2]) and redis.call('EXISTS', KEYS[2]) == 1 then return {'LEASE_LOST'} end
if late then return {'LATE'} end
local ends = now + ARGV[3]
if lease[3] then ends = math.min(ends, tonumber(lease[3])) end
redis.call('HSET', KEYS[1], 'until', ends)
redis.call('PEXPIRE', KEYS[1], ARGV[3] + ARGV[4])
return {'OK', ends - now, read_head(KEYS[3], KEYS[4], KEYS[5])}
