-- Replaces entries by tombstones, and deletes the saved index segments: any of them may contain text of the entries.
-- KEYS: head, log, entries, facts, sessions, segments, ids of writes, idempotency key.
-- ARGV: deadline, 'ids', 'session' or 'everything', how long to keep the idempotency key (ms), '1' if the app's list contains the user,
--   the time (s) until which everything is forgotten, a random id of the write; then ids, or the session.
-- Returns: the number of removed entries, [NOT_FOUND] if the user must first be added to the app's list, [VERSION, v] for another
--   version, or [LATE]. A repeated call returns the same number again.
-- @include client/prelude
-- @include memory/memory-log
local head, log, entries, facts, sessions, segments, write_ids, idempotency_key = unpack(KEYS)
local selector, remember_ms, forget_until, write_id = ARGV[2], ARGV[3], ARGV[5], ARGV[6]
local earlier = redis.call('GET', idempotency_key)
if earlier then
  redis.call('PEXPIRE', idempotency_key, remember_ms)
  return earlier
end
local seq, removals, forgotten_until, version = read_head(head)
if version then return {'VERSION', version} end
if late then return {'LATE'} end
if not seq then
  if selector ~= 'everything' then return '0' end
  if ARGV[4] ~= '1' then return {'NOT_FOUND'} end
  seq, removals = 0, 0
end
local count = 0
local function remove(id)
  local element = redis.call('HGET', entries, id)
  if not element then return end
  remove_from_indexes(element, id, facts, sessions)
  seq = seq + 1
  count = count + 1
  redis.call('HDEL', entries, id)
  redis.call('ZADD', log, seq, id)
  redis.call('HSET', write_ids, id, write_id)
end
if selector == 'ids' then
  for i = 7, #ARGV do remove(ARGV[i]) end
elseif selector == 'session' then
  local session = ARGV[7]
  local members = redis.call('ZRANGEBYLEX', sessions, '[' .. session .. '\n', '(' .. session .. '\v')
  for _, member in ipairs(members) do remove(string.sub(member, #session + 2)) end
else
  for _, id in ipairs(redis.call('ZRANGE', log, 0, -1)) do remove(id) end
  if not forgotten_until or tonumber(forget_until) > forgotten_until then
    redis.call('HSET', head, 'v', '1', 'until', forget_until)
  end
end
if count > 0 then
  redis.call('HSET', head, 'seq', string.format('%d', seq), 'removals', string.format('%d', removals + count))
  redis.call('UNLINK', segments)
end
redis.call('SET', idempotency_key, count, 'PX', remember_ms)
return count
