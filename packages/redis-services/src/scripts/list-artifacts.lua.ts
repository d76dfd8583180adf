import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * list-artifacts: the names of a session's or a user's own artifacts.
 * KEYS: names.
 * ARGV: none of its own.
 * Answers [name, …] in no order.
 */
export const listArtifacts: RedisScript = redisScript(`
return redis.call('SMEMBERS', KEYS[1])
`);
