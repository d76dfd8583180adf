import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * put-artifact: stores a new version under the next number.
 * KEYS: versions, names, counts, sessions, once.
 * ARGV from 2: file name, session or '', content, meta, how long to remember that it was done (ms).
 * Answers the version or LATE. A version that is sent again within that time answers its number again.
 */
export const putArtifact: RedisScript = redisScript(`
local known = redis.call('GET', KEYS[5])
if known then
  redis.call('PEXPIRE', KEYS[5], ARGV[6])
  return known
end
if late then return {'LATE'} end
local version = redis.call('HINCRBY', KEYS[3], ARGV[2], 1) - 1
redis.call('HSET', KEYS[1], version, ARGV[4], 'm' .. version, ARGV[5], 'last', version)
redis.call('SADD', KEYS[2], ARGV[2])
if ARGV[3] ~= '' then redis.call('SADD', KEYS[4], ARGV[3]) end
redis.call('SET', KEYS[5], version, 'PX', ARGV[6])
return version
`);
