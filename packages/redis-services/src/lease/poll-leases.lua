-- Reads the state of leases.
-- KEYS: lease ….
-- ARGV: deadline, the fence of each lease.
-- Returns: for each lease [remaining ms], or [remaining ms, invocation that requested the stop or ''] if there is a stop request, or an
--   empty list if the lease has another fence.
-- @include client/prelude
local states = {}
for i, key in ipairs(KEYS) do
  local lease = redis.call('HMGET', key, 'fence', 'until', 'stop')
  if lease[1] ~= ARGV[i + 1] then
    states[i] = {}
  elseif lease[3] then
    states[i] = {lease[2] - now, lease[3]}
  else
    states[i] = {lease[2] - now}
  end
end
return states
