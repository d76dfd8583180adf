-- Reads the changes of a user's memory log after a seq.
-- KEYS: head, log, entries.
-- ARGV: deadline, seq, maximum number of changes.
-- Returns: [number of removals, then seq, id and element of each change]. The element of a removal is ''. The list is
--   empty if the log does not exist. [VERSION, v] for another version.
-- @include memory/memory-log
local seq, removals, forgotten_until, version = read_head(KEYS[1])
if version then return {'VERSION', version} end
if not seq then return {} end
local changes = {string.format('%d', removals)}
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for i = 1, #found, 2 do
  changes[#changes + 1] = found[i + 1]
  changes[#changes + 1] = found[i]
  changes[#changes + 1] = redis.call('HGET', KEYS[3], found[i]) or ''
end
return changes
