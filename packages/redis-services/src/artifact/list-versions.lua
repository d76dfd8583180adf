-- Reads the numbers of an artifact's versions.
-- KEYS: versions.
-- ARGV: deadline.
-- Returns: [version, …], not sorted.
local versions = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, '^%d') then versions[#versions + 1] = field end
end
return versions
