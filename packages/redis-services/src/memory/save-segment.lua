-- Saves a segment of a user's index, unless entries were removed since it was built. An analyzer has one segment: a longer segment
-- replaces a shorter one, and a shorter segment is not saved.
-- KEYS: head, segments.
-- ARGV: deadline, analyzer, the last seq that it covers, the number of removals when it was built, 'encoded' or '', content.
-- Returns: 1 if the segment or a longer one is stored, otherwise 0; [VERSION, v] for another version, or [LATE].
-- @include client/prelude
-- @include memory/memory-log
local head, segments = KEYS[1], KEYS[2]
local analyzer, covered, encoding, content = ARGV[2], ARGV[3], ARGV[5], ARGV[6]
local seq, removals, forgotten_until, version = read_head(head)
if version then return {'VERSION', version} end
if late then return {'LATE'} end
if not seq or removals ~= tonumber(ARGV[4]) then return 0 end
local stored = redis.call('HGET', segments, 'u' .. analyzer)
if stored and tonumber(string.match(stored, '^%d+')) > tonumber(covered) then return 1 end
redis.call('HSET', segments, 'v', '1', 'u' .. analyzer, covered .. ' ' .. encoding, 'b' .. analyzer, content)
return 1
