import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * remove-artifact: takes all versions of one artifact; its number goes on counting.
 * KEYS: versions, names.
 * ARGV from 2: file name.
 * Answers OK or LATE.
 */
export const removeArtifact: RedisScript = redisScript(`
if late then return {'LATE'} end
redis.call('UNLINK', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[2])
return {'OK'}
`);
