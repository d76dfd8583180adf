import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * unheard-memories: which ids a user's log has not heard of.
 * KEYS: head, log.
 * ARGV from 2: ids.
 * Answers 'seq position …', positions of those ids from 0. What a log has heard of once it never forgets.
 */
export const unheardMemories: RedisScript = redisScript(`
local answer = {redis.call('HGET', KEYS[1], 'seq') or '0'}
for i = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[2], ARGV[i]) then answer[#answer + 1] = string.format('%d', i - 2) end
end
return table.concat(answer, ' ')
`);
