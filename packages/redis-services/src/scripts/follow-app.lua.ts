import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { KEEP_LIST } from './keep-list.lua.ts';

/**
 * follow-app, on Cluster: brings the app's slot up to a user's pending writes, each once and in order, whoever does it and however often.
 * KEYS: app state, app list, app ends, followed.
 * ARGV from 2: whose pending list it is, the entries.
 * Answers the number of the last.
 */
export const followApp: RedisScript = redisScript(`
${KEEP_LIST}
local whose = redis.sha1hex(ARGV[2])
local done = redis.call('HGET', KEYS[4], whose) or '0'
for i = 3, #ARGV do
  local entry = cjson.decode(ARGV[i])
  if tonumber(entry.n) > tonumber(done) then
    if entry.s then redis.call('ZADD', KEYS[2], entry.s, entry.m) end
    if entry.x then redis.call('ZADD', KEYS[3], entry.x, entry.m)
    elseif entry.s then redis.call('ZREM', KEYS[3], entry.m) end
    for _, member in ipairs(entry.gone or {}) do
      redis.call('ZREM', KEYS[2], member)
      redis.call('ZREM', KEYS[3], member)
    end
    for j = 1, #entry.a, 2 do
      if entry.a[j + 1] == '' then redis.call('HDEL', KEYS[1], entry.a[j])
      else redis.call('HSET', KEYS[1], entry.a[j], entry.a[j + 1]) end
    end
    if #entry.a > 0 then
      redis.call('HSETNX', KEYS[1], 'v', '1')
      redis.call('HINCRBY', KEYS[1], '#', 1)
    end
    done = entry.n
    redis.call('HSET', KEYS[4], whose, done)
  end
end
keep(KEYS[2], KEYS[3])
return done
`);
