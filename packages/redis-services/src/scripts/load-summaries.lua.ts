import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * load-summaries: sessions of one user without their events.
 * KEYS: user state, then record and state of each session.
 * ARGV: none of its own.
 * Answers [user state, then for each session record and state, both empty where it is gone].
 */
export const loadSummaries: RedisScript = redisScript(`
local answer = {redis.call('HGETALL', KEYS[1])}
for i = 2, #KEYS, 2 do
  local record = redis.call('HMGET', KEYS[i], 'v', 'inc', 'ct', 'ut', 'seq', 'init', 'exp')
  if not record[1] or (record[7] and tonumber(record[7]) <= now) then
    answer[#answer + 1] = {}
    answer[#answer + 1] = {}
  else
    answer[#answer + 1] = record
    answer[#answer + 1] = redis.call('HGETALL', KEYS[i + 1])
  end
end
return answer
`);
