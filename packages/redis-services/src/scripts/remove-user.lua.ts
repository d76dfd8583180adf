import { redisScript } from '../redis-script.ts';
import type { RedisScript } from '../redis-script.ts';
import { ENCODE_NAME } from './encode-name.lua.ts';
import { QUEUE_FOR_APP } from './queue-for-app.lua.ts';

/**
 * remove-user: takes all sessions of a user, and the user's state. Names of the sessions' keys are made from those of the user: same slot.
 * KEYS: user state, user list, user ends; then app list, app ends, or on Cluster pending.
 * ARGV from 2: user.
 * Answers [OK, pending …] or LATE.
 */
export const removeUser: RedisScript = redisScript(`
${ENCODE_NAME}
${QUEUE_FOR_APP}
if late then return {'LATE'} end
local base = string.sub(KEYS[1], 1, -2)
local members = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local name = ':' .. encode(id)
  redis.call('UNLINK', base .. 's' .. name, base .. 'e' .. name, base .. 'k' .. name)
  local member = id .. string.char(0) .. ARGV[2]
  if KEYS[5] then
    redis.call('ZREM', KEYS[4], member)
    redis.call('ZREM', KEYS[5], member)
  else
    queue(KEYS[4], KEYS[1], {m = member, a = {}})
  end
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
if KEYS[5] then return {'OK'} end
return {'OK', unpack(redis.call('LRANGE', KEYS[4], 0, 99))}
`);
