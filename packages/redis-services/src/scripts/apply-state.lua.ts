/**
 * Lua for other scripts: `apply(key, from, count)` sets `count` pairs of ARGV from `from` on as fields of a hash, deletes those
 * whose value is '', and answers where the next pairs begin. Fields are JSON strings, so that what begins otherwise
 * is bookkeeping: `v` is the record's version, `#` counts the writes of a hash that is `counted`.
 */
export const APPLY_STATE = `
local function apply(key, from, count, counted)
  if count == 0 then return from end
  for i = from, from + count * 2 - 1, 2 do
    if ARGV[i + 1] == '' then redis.call('HDEL', key, ARGV[i])
    else redis.call('HSET', key, ARGV[i], ARGV[i + 1]) end
  end
  if counted then
    redis.call('HSETNX', key, 'v', '1')
    redis.call('HINCRBY', key, '#', 1)
  end
  return from + count * 2
end
`;
