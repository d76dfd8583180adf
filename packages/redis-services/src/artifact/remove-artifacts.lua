-- Deletes all artifacts of a session, or all artifacts of a user. The script derives keys from a key of the user: they share one slot.
-- KEYS: names of the user's own artifacts, sessions.
-- ARGV: deadline, session or ''.
-- Returns: [OK] or [LATE].
-- @include client/prelude
-- @include client/encode-name
if late then return {'LATE'} end
local base = string.sub(KEYS[1], 1, -2)
local function remove(names, counts, versions)
  for _, name in ipairs(redis.call('SMEMBERS', names)) do redis.call('UNLINK', versions .. encode_name(name)) end
  redis.call('UNLINK', names, counts)
end
local function remove_of_session(session)
  local id = encode_name(session)
  remove(base .. 'n:' .. id, base .. 'c:' .. id, base .. 'g:' .. id .. ':')
end
if ARGV[2] ~= '' then
  remove_of_session(ARGV[2])
  redis.call('SREM', KEYS[2], ARGV[2])
  return {'OK'}
end
for _, session in ipairs(redis.call('SMEMBERS', KEYS[2])) do remove_of_session(session) end
remove(base .. 'n', base .. 'c', base .. 'f:')
redis.call('UNLINK', KEYS[2])
return {'OK'}
