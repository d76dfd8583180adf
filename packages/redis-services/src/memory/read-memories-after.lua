-- Reads the changes of a user's memory log after a seq.
-- KEYS: head, log, entries, ids of writes.
-- ARGV: deadline, seq, maximum number of changes.
-- Returns: [number of removals; seq, id and id of the write of the last change up to the seq, each '' if there is none; then seq, id,
--   element and id of the write of each change]. The element of a removal is ''. The id of a write is '' if an earlier version of
--   this package wrote it. The list is empty if the log does not exist. [VERSION, v] for another version.
-- @include memory/memory-log
local seq, removals, forgotten_until, version = read_head(KEYS[1])
if version then return {'VERSION', version} end
if not seq then return {} end
local previous = redis.call('ZREVRANGEBYSCORE', KEYS[2], ARGV[2], '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
local changes = {string.format('%d', removals), previous[2] or '', previous[1] or '', ''}
if previous[1] then changes[4] = redis.call('HGET', KEYS[4], previous[1]) or '' end
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for i = 1, #found, 2 do
  changes[#changes + 1] = found[i + 1]
  changes[#changes + 1] = found[i]
  changes[#changes + 1] = redis.call('HGET', KEYS[3], found[i]) or ''
  changes[#changes + 1] = redis.call('HGET', KEYS[4], found[i]) or ''
end
return changes
