import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * list-page: one page of a list of sessions, by lastUpdateTime and then by name; drops what has expired first.
 * KEYS: list, ends; of a user on Cluster also pending.
 * ARGV from 2: offset, limit or '', asc or desc.
 * Answers [total, pending, members].
 */
export const listPage: RedisScript = redisScript(`
local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
while #over > 0 do
  redis.call('ZREM', KEYS[1], unpack(over))
  redis.call('ZREM', KEYS[2], unpack(over))
  over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
end
local pending = KEYS[3] and redis.call('LRANGE', KEYS[3], 0, 99) or {}
local answer = {redis.call('ZCARD', KEYS[1]), pending, {}}
local last = ARGV[3] == '' and -1 or ARGV[2] + ARGV[3] - 1
if ARGV[3] ~= '0' then
  answer[3] = redis.call(ARGV[4] == 'desc' and 'ZREVRANGE' or 'ZRANGE', KEYS[1], ARGV[2], last)
end
return answer
`);
