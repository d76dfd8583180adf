import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * settle-pending, on Cluster: forgets the pending writes that the app's slot has followed.
 * KEYS: pending.
 * ARGV from 2: the number of the last that was followed, or 0 to forget none.
 * Answers the next that are pending, a hundred at most.
 */
export const settlePending: RedisScript = redisScript(`
local head = redis.call('LINDEX', KEYS[1], 0)
while head and tonumber(cjson.decode(head).n) <= tonumber(ARGV[2]) do
  redis.call('LPOP', KEYS[1])
  head = redis.call('LINDEX', KEYS[1], 0)
end
return redis.call('LRANGE', KEYS[1], 0, 99)
`);
