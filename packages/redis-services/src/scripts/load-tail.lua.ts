import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';

/**
 * load-tail: the events that came after one.
 * KEYS: record, events.
 * ARGV from 2: its seq, the incarnation it belongs to or '', most events to answer.
 * Answers [record, seq of the first, elements], or nothing where there is no session. Of another incarnation it begins at the first.
 */
export const loadTail: RedisScript = redisScript(`
local record = redis.call('HMGET', KEYS[1], 'v', 'inc', 'ct', 'ut', 'seq', 'init', 'exp', 'cut')
if not record[1] or (record[7] and tonumber(record[7]) <= now) then return {} end
local cut = tonumber(record[8] or 0)
local after = (ARGV[3] == '' or ARGV[3] == record[2]) and tonumber(ARGV[2]) or 0
local first = math.max(after - cut, 0)
record[6] = ''
record[7] = ''
return {record, first + cut + 1, redis.call('LRANGE', KEYS[2], first, first + ARGV[4] - 1)}
`);
