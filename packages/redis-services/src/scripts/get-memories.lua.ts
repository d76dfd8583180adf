import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * get-memories: entries by their ids.
 * KEYS: head, log, entries.
 * ARGV from 2: ids.
 * Answers [seq, element, …] in the order of the ids, without those that are not there, or VERSION v.
 */
export const getMemories: RedisScript = redisScript(`
${MEMORY_LINES}
local _, _, _, version = head(KEYS[1])
if version then return {'VERSION', version} end
local answer = {}
for i = 2, #ARGV do
  local element = redis.call('HGET', KEYS[3], ARGV[i])
  if element then
    answer[#answer + 1] = redis.call('ZSCORE', KEYS[2], ARGV[i])
    answer[#answer + 1] = element
  end
end
return answer
`);
