import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * memories-since: what happened in a user's log after a number.
 * KEYS: head, log, entries.
 * ARGV from 2: the number, how many lines.
 * Answers [removals, seq, id, element or '' of a tombstone, …], or nothing without a log, or VERSION v.
 */
export const memoriesSince: RedisScript = redisScript(`
${MEMORY_LINES}
local seq, removals, forgotten, version = head(KEYS[1])
if version then return {'VERSION', version} end
if not seq then return {} end
local answer = {string.format('%d', removals)}
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i + 1]
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = redis.call('HGET', KEYS[3], found[i]) or ''
end
return answer
`);
