import { redisScript } from '../client/redis-script.ts';
import type { RedisScript } from '../client/redis-script.ts';
import { APPLY_STATE } from './apply-state.lua.ts';
import { KEEP_LIST } from './keep-list.lua.ts';
import { QUEUE_FOR_APP } from './queue-for-app.lua.ts';

/**
 * append-event: stores an event, with its state where it has any, once.
 * KEYS: record, events, user list, app list or on Cluster pending; where more is given state, lease, user state, user ends, app state, app ends.
 * ARGV from 2: element, app member, incarnation or ''; where more is given fence or '', '1' to write something even when repeated
 * (WAIT), and how many pairs of session, user and app state follow.
 * Answers the seq (on Cluster [seq, pending …]), or KNOWN seq element (and on Cluster pending …), NOT_FOUND, VERSION v, LEASE_LOST, LATE, MORE when it needs all keys.
 * An id that is stored already counts before fence and deadline do: who asks again must hear that it happened.
 */
const body = (cluster: boolean): string => `
local time, id = string.match(ARGV[2], '^([^\\n]+)\\n([^\\n]+)')
local record = redis.call('HMGET', KEYS[1], 'v', 'seq', 'ut', 'ttl', id, 'inc')
if not record[1] or (ARGV[4] ~= '' and ARGV[4] ~= record[6]) then return {'NOT_FOUND'} end
if record[1] ~= '1' then return {'VERSION', record[1]} end
local more = KEYS[5]
local ttl = record[4]
if ttl then
  if tonumber(redis.call('HGET', KEYS[1], 'exp')) <= now then return {'NOT_FOUND'} end
  if not more then return {'MORE'} end
end
if record[5] then
  if more and ARGV[6] == '1' then redis.call('HSET', KEYS[1], 'v', '1') end
  local known = redis.call('LINDEX', KEYS[2], record[5] - 1 - (redis.call('HGET', KEYS[1], 'cut') or 0))
  return {'KNOWN', record[5], known${cluster ? ", unpack(redis.call('LRANGE', KEYS[4], 0, 99))" : ''}}
end
if more and ARGV[5] ~= '' then
  -- One that ran out holds until it is given to another run.
  if redis.call('HGET', KEYS[6], 'token') ~= ARGV[5] then return {'LEASE_LOST'} end
end
if late then return {'LATE'} end
local seq = record[2] + 1
-- As text, which Redis would otherwise make of it twice.
local at = string.format('%d', seq)
local behind = record[3] - time
if behind > 0 then
  local back = math.max(behind, tonumber(redis.call('HGET', KEYS[1], 'back') or 0))
  redis.call('HSET', KEYS[1], 'seq', at, id, at, 'back', back)
else
  redis.call('HSET', KEYS[1], 'seq', at, id, at, 'ut', time)
end
redis.call('RPUSH', KEYS[2], ARGV[2])
if behind < 0 then
  redis.call('ZADD', KEYS[3], time, string.match(ARGV[3], '^%Z+'))
  ${cluster ? '' : "redis.call('ZADD', KEYS[4], time, ARGV[3])"}
end
${cluster ? '' : 'if not more then return seq end'}
${APPLY_STATE}
${KEEP_LIST}
local from = apply(KEYS[5], 10, tonumber(ARGV[7]), false)
from = apply(KEYS[7], from, tonumber(ARGV[8]), true)
${cluster ? '' : 'apply(KEYS[9], from, tonumber(ARGV[9]), true)'}
local ends
if ttl then
  ends = now + ttl
  redis.call('HSET', KEYS[1], 'exp', ends)
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', KEYS[2], ttl)
  redis.call('PEXPIRE', KEYS[5], ttl)
  redis.call('ZADD', KEYS[8], ends, string.match(ARGV[3], '^%Z+'))
  keep(KEYS[3], KEYS[8])
  ${cluster ? '' : "redis.call('ZADD', KEYS[10], ends, ARGV[3]) keep(KEYS[4], KEYS[10])"}
end
`;

/** Of a single server, or of one that Sentinel watches: everything in the one step. */
export const appendEvent: RedisScript = redisScript(`${body(false)}return seq`);

/** Of Cluster: what the app's slot has to know is queued with the event. All keys are always given. */
export const appendEventOnCluster: RedisScript = redisScript(`
${QUEUE_FOR_APP}
${body(true)}
if behind < 0 or ends or ARGV[9] ~= '0' then
  local entry = {m = ARGV[3], s = behind > 0 and record[3] or time, a = {}}
  if ends then entry.x = string.format('%.0f', ends) end
  for i = from, from + ARGV[9] * 2 - 1 do entry.a[#entry.a + 1] = ARGV[i] end
  queue(KEYS[4], KEYS[7], entry)
end
return {seq, unpack(redis.call('LRANGE', KEYS[4], 0, 99))}
`);
