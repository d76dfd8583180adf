-- Reads entries after a seq, filtered by kind, time and session. Looks at no more than 2000 entries.
-- KEYS: head, log, entries, facts, sessions.
-- ARGV: deadline, seq, maximum number of entries, kinds ('turn,note', or '' for all), from and to (s, or ''), session or ''.
-- Returns: [seq after which the next call continues, or '' at the end; then seq and element of each entry], or [VERSION, v] for
--   another version.
-- @include memory/memory-log
local head, log, entries, facts, sessions = unpack(KEYS)
local _, _, _, version = read_head(head)
if version then return {'VERSION', version} end
local after, count = ARGV[2], tonumber(ARGV[3])
local kinds, from, to, session = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local candidates = {}
local first, last = '[' .. session .. '\n', '(' .. session .. '\v'
-- The index of sessions has no order of seqs. So each page would read all entries of a long session.
local is_short = session ~= '' and redis.call('ZLEXCOUNT', sessions, first, last) <= 2000
if is_short then
  for _, member in ipairs(redis.call('ZRANGEBYLEX', sessions, first, last)) do
    local id = string.sub(member, #session + 2)
    local seq = tonumber(redis.call('ZSCORE', log, id))
    if seq > tonumber(after) then candidates[#candidates + 1] = {id, seq} end
  end
  table.sort(candidates, function(a, b) return a[2] < b[2] end)
else
  local index = kinds == 'fact' and facts or log
  local found = redis.call('ZRANGEBYSCORE', index, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, 2000)
  for i = 1, #found, 2 do candidates[#candidates + 1] = {found[i], found[i + 1]} end
end
local page = {''}
for i, candidate in ipairs(candidates) do
  local element = redis.call('HGET', entries, candidate[1])
  if element then
    local time, kind, entry_session = parse_element(element)
    time = tonumber(time)
    local matches = kinds == '' or string.find(',' .. kinds .. ',', ',' .. kind .. ',', 1, true)
    if from and not (time and time >= from) then matches = false end
    if to and not (time and time < to) then matches = false end
    if session ~= '' and entry_session ~= session then matches = false end
    if matches then
      page[#page + 1] = string.format('%d', candidate[2])
      page[#page + 1] = element
    end
  end
  if i == 2000 or #page > count * 2 then
    page[1] = string.format('%d', candidate[2])
    break
  end
end
return page
