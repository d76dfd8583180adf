import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * get-artifact: one version, or the newest.
 * KEYS: versions.
 * ARGV from 2: version or ''.
 * Answers [version, content, meta], or nothing.
 */
export const getArtifact: RedisScript = redisScript(`
local version = ARGV[2]
if version == '' then version = redis.call('HGET', KEYS[1], 'last') end
if not version then return {} end
local found = redis.call('HMGET', KEYS[1], version, 'm' .. version)
if not found[2] then return {} end
return {version, found[1], found[2]}
`);
