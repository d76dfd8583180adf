-- Asks for the lease of a session: gives it, or a place in the queue of waiting runs.
-- KEYS: lease, queue, waiter deadlines, record, user state; then app state, app leases, or on Cluster: outbox.
-- ARGV: deadline, token (the fence), invocation, holder, policy, ttl (ms), maximum number of waiting runs, cleanup (ms), how long a
--   waiter remains in the queue without asking again (ms), '1' for the first request, member of app leases, how long to keep a lease
--   after it ran out (ms), own process or '', token of a lease whose process is dead or ''.
-- Returns: [OK, head, outbox entries], [WAIT or BUSY, invocation, number of waiting runs, token and process of the lease], [INTERRUPTED],
--   or [LATE]. A repeated request of the holder is OK. An interrupting run waits with the score -1. Only one such run waits: the next one
--   takes its place. The waiter deadlines then contain '!' and the token of the earlier run.
-- @include client/prelude
-- @include session/read-head
local lease_key, queue, waiter_deadlines = KEYS[1], KEYS[2], KEYS[3]
local on_cluster = not KEYS[7]
local token, policy = ARGV[2], ARGV[5]
local is_first_request, is_interrupting = ARGV[10] == '1', policy == 'interrupt'
local lease = redis.call('HMGET', lease_key, 'token', 'inv', 'until', 'latest', 'member', 'proc')
local is_held = lease[1] and lease[1] ~= ARGV[14] and now < tonumber(lease[3])
local function granted()
  local entries = on_cluster and redis.call('LRANGE', KEYS[6], 0, 99) or {}
  return {'OK', read_head(KEYS[4], KEYS[5], not on_cluster and KEYS[6]), entries}
end
if is_held and lease[1] == token then return granted() end
if late then return {'LATE'} end
local gone = redis.call('ZRANGEBYSCORE', waiter_deadlines, '-inf', now, 'LIMIT', 0, 1000)
if #gone > 0 then
  redis.call('ZREM', queue, unpack(gone))
  redis.call('ZREM', waiter_deadlines, unpack(gone))
end
if is_interrupting and redis.call('ZSCORE', waiter_deadlines, '!' .. token) then return {'INTERRUPTED'} end
local first = redis.call('ZRANGE', queue, 0, 0)[1]
if not is_held and (not first or first == token) then
  redis.call('DEL', lease_key)
  redis.call('HSET', lease_key, 'token', token, 'inv', ARGV[3], 'holder', ARGV[4], 'until', now + ARGV[6], 'member', ARGV[11], 'proc', ARGV[13], 'v', '1')
  redis.call('PEXPIRE', lease_key, ARGV[6] + ARGV[12])
  redis.call('ZREM', queue, token)
  redis.call('ZREM', waiter_deadlines, token)
  if not on_cluster then
    if lease[5] then redis.call('ZREM', KEYS[7], lease[5]) end
    redis.call('ZADD', KEYS[7], now, ARGV[11])
  end
  return granted()
end
local function refused(outcome, waiting)
  return {outcome, is_held and lease[2] or '', waiting, is_held and lease[1] or '', is_held and lease[6] or ''}
end
if policy == 'reject' then return refused('BUSY', 0) end
if not redis.call('ZSCORE', queue, token) then
  local overtaken = is_interrupting and redis.call('ZRANGEBYSCORE', queue, '-inf', '(0') or {}
  if #overtaken > 0 and not is_first_request then return {'INTERRUPTED'} end
  local waiting = redis.call('ZCARD', queue) - #overtaken
  if waiting >= tonumber(ARGV[7]) then return refused('BUSY', waiting) end
  for _, other in ipairs(overtaken) do
    redis.call('ZREM', queue, other)
    redis.call('ZREM', waiter_deadlines, other)
    redis.call('ZADD', waiter_deadlines, now + ARGV[9], '!' .. other)
  end
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', queue, is_interrupting and -1 or (last and last + 1 or 0), token)
end
redis.call('ZADD', waiter_deadlines, now + ARGV[9], token)
redis.call('PEXPIRE', queue, ARGV[9])
redis.call('PEXPIRE', waiter_deadlines, ARGV[9])
if is_interrupting and is_first_request and is_held then
  local latest = math.min(tonumber(lease[4] or now + ARGV[8]), now + ARGV[8])
  redis.call('HSET', lease_key, 'latest', latest, 'until', math.min(tonumber(lease[3]), latest))
  redis.call('HSETNX', lease_key, 'stop', ARGV[3])
  redis.call('HSETNX', lease_key, 'why', 'RUN_INTERRUPTED')
end
return refused('WAIT', 0)
