-- Writes the entries that the mode allows, each under the next seq of the user's memory log.
-- KEYS: head, log, entries, facts, sessions, ids of writes, idempotency key.
-- ARGV: deadline, mode, how long to keep the idempotency key (ms), '1' if the app's list contains the user,
--   a random id of the write; then id and element of each entry.
-- Returns: '<last seq> <index> …' with the 0-based indexes of the written entries, [NOT_FOUND] if the user must first be added to
--   the app's list, [VERSION, v] for another version, or [LATE]. A repeated call returns the same reply again.
-- @include client/prelude
-- @include memory/memory-log
local head, log, entries, facts, sessions, write_ids, idempotency_key = unpack(KEYS)
local mode, remember_ms, write_id = ARGV[2], ARGV[3], ARGV[5]
local earlier = redis.call('GET', idempotency_key)
if earlier then
  redis.call('PEXPIRE', idempotency_key, remember_ms)
  return earlier
end
local seq, removals, forgotten_until, version = read_head(head)
if version then return {'VERSION', version} end
if late then return {'LATE'} end
if not seq then
  if mode == 'ifPresent' then return '0' end
  if ARGV[4] ~= '1' then return {'NOT_FOUND'} end
end
seq = seq or 0
local handled, written = {}, {}
for i = 6, #ARGV, 2 do
  local id, element = ARGV[i], ARGV[i + 1]
  local old = redis.call('HGET', entries, id)
  local time, kind, session = parse_element(element)
  local may_write = not handled[id]
  if may_write and mode == 'ifPresent' then
    may_write = old
  elseif may_write and mode == 'ifAbsent' then
    local is_forgotten = forgotten_until and time ~= '' and tonumber(time) <= forgotten_until
    may_write = not redis.call('ZSCORE', log, id) and not is_forgotten
  end
  if may_write then
    handled[id] = true
    if old then remove_from_indexes(old, id, facts, sessions) end
    seq = seq + 1
    redis.call('HSET', entries, id, element)
    redis.call('ZADD', log, seq, id)
    redis.call('HSET', write_ids, id, write_id)
    if kind == 'fact' then redis.call('ZADD', facts, seq, id) end
    if session ~= '' then redis.call('ZADD', sessions, 0, session .. '\n' .. id) end
    written[#written + 1] = string.format('%d', (i - 6) / 2)
  end
end
local last = string.format('%d', seq)
redis.call('HSET', head, 'v', '1', 'seq', last)
local reply = last .. (#written > 0 and ' ' or '') .. table.concat(written, ' ')
redis.call('SET', idempotency_key, reply, 'PX', remember_ms)
return reply
