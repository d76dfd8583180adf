import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { MEMORY_LINES } from './memory-lines.lua.ts';

/**
 * save-segment: keeps a piece of a derived index, unless something was removed since it was made. One of an analyzer covers those
 * of it that end no later: they go, and one that is covered is not kept.
 * KEYS: head, segments.
 * ARGV from 2: analyzer, the number up to which it goes, how many removals there were, 'encoded' or '', content.
 * Answers 1 or 0, VERSION v or LATE.
 */
export const saveSegment: RedisScript = redisScript(`
${MEMORY_LINES}
local seq, removals, forgotten, version = head(KEYS[1])
if version then return {'VERSION', version} end
if late then return {'LATE'} end
if not seq or removals ~= tonumber(ARGV[4]) then return 0 end
local field = 'u' .. ARGV[2]
local there = redis.call('HGET', KEYS[2], field)
if there and tonumber(string.match(there, '^%d+')) > tonumber(ARGV[3]) then return 1 end
redis.call('HSET', KEYS[2], 'v', '1', field, ARGV[3] .. ' ' .. ARGV[5], 'b' .. ARGV[2], ARGV[6])
return 1
`);
