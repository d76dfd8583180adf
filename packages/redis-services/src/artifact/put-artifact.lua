-- Stores a new version of an artifact under the next number.
-- KEYS: versions, names, counts, sessions, idempotency key.
-- ARGV: deadline, file name, session or '', content, metadata, how long to keep the idempotency key (ms).
-- Returns: the version, or [LATE]. A repeated call returns the number of the stored version.
-- @include client/prelude
local versions, names, counts, sessions, idempotency_key = unpack(KEYS)
local name, session, content, metadata, remember_ms = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local stored = redis.call('GET', idempotency_key)
if stored then
  redis.call('PEXPIRE', idempotency_key, remember_ms)
  return stored
end
if late then return {'LATE'} end
local version = redis.call('HINCRBY', counts, name, 1) - 1
redis.call('HSET', versions, version, content, 'm' .. version, metadata, 'last', version)
redis.call('SADD', names, name)
if session ~= '' then redis.call('SADD', sessions, session) end
redis.call('SET', idempotency_key, version, 'PX', remember_ms)
return version
