-- Requests the lease of a session: grants it, or adds the run to the queue.
-- KEYS: lease, queue, waiter deadlines, record, events, user state; then app state, app leases, or on Cluster: outbox.
-- ARGV: deadline, fence, invocation, holder, process or '', policy, '1' for the first request, maximum number of waiting runs, ttl (ms),
--   cleanup (ms), fence of a lease whose process is dead or '', member of app leases, how long a waiting run keeps its place without
--   another request (ms), how long an expired lease is kept (ms).
-- Returns: [GRANTED, head, outbox entries], [WAITING or BUSY, number of other waiting runs, then fence, invocation,
--   process and remaining ms of a live lease], [OVERTAKEN], or [LATE].
-- A waiting run that interrupts has the score -1 in the queue. The next interrupting run replaces it. The waiter deadlines then
-- contain '!' and the fence of the overtaken run.
-- @include client/prelude
-- @include session/read-head
local lease_key, queue, waiter_deadlines, record = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local on_cluster = not KEYS[8]
local fence, invocation, policy, is_first = ARGV[2], ARGV[3], ARGV[6], ARGV[7] == '1'
local ttl_ms, cleanup_ms, app_member, place_ms, keep_ms = ARGV[9], ARGV[10], ARGV[12], ARGV[13], ARGV[14]
local interrupts = policy == 'interrupt'
local lease = redis.call('HMGET', lease_key, 'fence', 'inv', 'until', 'latest', 'member', 'proc')
local is_live = lease[1] and lease[1] ~= ARGV[11] and now < tonumber(lease[3])
local function grant_reply()
  local entries = on_cluster and redis.call('LRANGE', KEYS[7], 0, 99) or {}
  return {'GRANTED', read_head(record, KEYS[5], KEYS[6], not on_cluster and KEYS[7]), entries}
end
local function refusal_reply(status, waiting)
  if not is_live then return {status, waiting} end
  return {status, waiting, lease[1], lease[2], lease[6] or '', lease[3] - now}
end
if is_live and lease[1] == fence then return grant_reply() end
if late then return {'LATE'} end

-- Removes the places of runs that no longer request the lease.
local expired_places = redis.call('ZRANGEBYSCORE', waiter_deadlines, '-inf', now, 'LIMIT', 0, 1000)
if #expired_places > 0 then
  redis.call('ZREM', queue, unpack(expired_places))
  redis.call('ZREM', waiter_deadlines, unpack(expired_places))
end
if interrupts and redis.call('ZSCORE', waiter_deadlines, '!' .. fence) then return {'OVERTAKEN'} end

local first_in_queue = redis.call('ZRANGE', queue, 0, 0)[1]
if not is_live and (not first_in_queue or first_in_queue == fence) then
  redis.call('DEL', lease_key)
  redis.call('HSET', lease_key, 'v', '1', 'fence', fence, 'inv', invocation, 'holder', ARGV[4], 'proc', ARGV[5], 'until', now + ttl_ms, 'member', app_member)
  redis.call('PEXPIRE', lease_key, ttl_ms + keep_ms)
  redis.call('ZREM', queue, fence)
  redis.call('ZREM', waiter_deadlines, fence)
  if not on_cluster then
    if lease[5] then redis.call('ZREM', KEYS[8], lease[5]) end
    redis.call('ZADD', KEYS[8], now, app_member)
  end
  return grant_reply()
end

if not redis.call('ZSCORE', queue, fence) then
  local overtaken = interrupts and redis.call('ZRANGEBYSCORE', queue, '-inf', '(0') or {}
  -- The place of this run was removed, and then a later run with the same policy entered the queue.
  if #overtaken > 0 and not is_first then return {'OVERTAKEN'} end
  local others = redis.call('ZCARD', queue) - #overtaken
  if policy == 'reject' or (is_first and others >= tonumber(ARGV[8])) then return refusal_reply('BUSY', others) end
  for _, other in ipairs(overtaken) do
    redis.call('ZREM', queue, other)
    redis.call('ZREM', waiter_deadlines, other)
    redis.call('ZADD', waiter_deadlines, now + place_ms, '!' .. other)
  end
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', queue, interrupts and -1 or (last and last + 1 or 0), fence)
  if interrupts and is_first and is_live then
    local latest = math.min(tonumber(lease[4] or now + cleanup_ms), now + cleanup_ms)
    lease[3] = math.min(tonumber(lease[3]), latest)
    redis.call('HSET', lease_key, 'latest', latest, 'until', lease[3])
    redis.call('HSETNX', lease_key, 'stop', invocation)
  end
end
redis.call('ZADD', waiter_deadlines, now + place_ms, fence)
redis.call('PEXPIRE', queue, place_ms)
redis.call('PEXPIRE', waiter_deadlines, place_ms)
return refusal_reply('WAITING', redis.call('ZCARD', queue) - 1)
