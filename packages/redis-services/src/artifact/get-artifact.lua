-- Reads one version of an artifact, or the newest.
-- KEYS: versions.
-- ARGV: deadline, version or ''.
-- Returns: [version, content, metadata], or an empty list if the version does not exist.
local version = ARGV[2]
if version == '' then version = redis.call('HGET', KEYS[1], 'last') end
if not version then return {} end
local found = redis.call('HMGET', KEYS[1], version, 'm' .. version)
if not found[2] then return {} end
return {version, found[1], found[2]}
