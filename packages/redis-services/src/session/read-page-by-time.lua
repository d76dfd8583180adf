-- Reads one page of a list of sessions in the order of their scores: of an app's waiting sessions, or of all sessions of an app or user.
-- KEYS: list.
-- ARGV: deadline, the highest score, 'now' (s) or '+inf', limit, score and member of the cursor, or '' and ''.
-- Returns: [1 if there are more sessions, otherwise 0; [member, time, …]].
-- @include client/prelude
local list, before, limit, time, cursor = KEYS[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
if before == 'now' then before = string.format('%.3f', now / 1000) end
-- The order of members with the same score: by bytes. The operator `<` depends on the server's locale.
local function is_after(member)
  for i = 1, math.min(#member, #cursor) do
    local a, b = string.byte(member, i), string.byte(cursor, i)
    if a ~= b then return a > b end
  end
  return #member > #cursor
end
local first = 0
if time ~= '' then
  first = redis.call('ZCOUNT', list, '-inf', '(' .. time)
  local high = first + redis.call('ZCOUNT', list, time, time)
  while first < high do
    local middle = math.floor((first + high) / 2)
    if is_after(redis.call('ZRANGE', list, middle, middle)[1]) then high = middle else first = middle + 1 end
  end
end
local count = redis.call('ZCOUNT', list, '-inf', before)
if first >= count then return {0, {}} end
local last = math.min(first + limit, count) - 1
local more = count > first + limit and 1 or 0
return {more, redis.call('ZRANGE', list, first, last, 'WITHSCORES')}
