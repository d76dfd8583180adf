import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * list-versions: the numbers of an artifact's versions.
 * KEYS: versions.
 * ARGV: none of its own.
 * Answers [version, …] in no order.
 */
export const listVersions: RedisScript = redisScript(`
local versions = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, '^%d') then versions[#versions + 1] = field end
end
return versions
`);
