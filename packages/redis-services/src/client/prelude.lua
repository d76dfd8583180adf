-- Shared code: defines `now` and `late`. Times are milliseconds of the server's clock.
-- ARGV[1] is the deadline of the call. A script that runs after it is `late` and writes nothing.
-- With a clock of the caller, ARGV[1] is '<deadline> <now>'.
local deadline = tonumber(ARGV[1])
local now
if deadline then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
else
  deadline, now = string.match(ARGV[1], '^(%d+) (%d+)$')
  deadline, now = tonumber(deadline), tonumber(now)
end
local late = now > deadline
