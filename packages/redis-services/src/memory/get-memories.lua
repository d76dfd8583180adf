-- Reads entries by their ids.
-- KEYS: head, log, entries.
-- ARGV: deadline, id ….
-- Returns: [seq and element of each entry that exists], in the order of the ids, or [VERSION, v] for another version.
-- @include memory/memory-log
local _, _, _, version = read_head(KEYS[1])
if version then return {'VERSION', version} end
local found = {}
for i = 2, #ARGV do
  local element = redis.call('HGET', KEYS[3], ARGV[i])
  if element then
    found[#found + 1] = redis.call('ZSCORE', KEYS[2], ARGV[i])
    found[#found + 1] = element
  end
end
return found
