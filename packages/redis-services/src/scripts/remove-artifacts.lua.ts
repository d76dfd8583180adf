import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { ENCODE_NAME } from './encode-name.lua.ts';

/**
 * remove-artifacts: takes all artifacts of a session, or everything of the user. Names of keys are made from the user's: same slot.
 * KEYS: names of the user's own, sessions.
 * ARGV from 2: session or ''.
 * Answers OK or LATE.
 */
export const removeArtifacts: RedisScript = redisScript(`
${ENCODE_NAME}
if late then return {'LATE'} end
local base = string.sub(KEYS[1], 1, -2)
local function take(names, counts, versions)
  for _, name in ipairs(redis.call('SMEMBERS', names)) do redis.call('UNLINK', versions .. encode(name)) end
  redis.call('UNLINK', names, counts)
end
local function takeSession(session)
  local id = encode(session)
  take(base .. 'n:' .. id, base .. 'c:' .. id, base .. 'g:' .. id .. ':')
end
if ARGV[2] ~= '' then
  takeSession(ARGV[2])
  redis.call('SREM', KEYS[2], ARGV[2])
  return {'OK'}
end
for _, session in ipairs(redis.call('SMEMBERS', KEYS[2])) do takeSession(session) end
take(base .. 'n', base .. 'c', base .. 'f:')
redis.call('UNLINK', KEYS[2])
return {'OK'}
`);
