-- Shared code: `apply_state(key, first, count, counted)` writes `count` pairs of field and value, which begin at ARGV[first], to a hash.
-- An empty value deletes the field. Returns the index of the argument after the pairs.
-- State fields are JSON strings and begin with a quote. Other fields are bookkeeping: `v` is the version of the record, and
-- `#` counts the writes to a hash that is `counted`.
local function apply_state(key, first, count, counted)
  if count == 0 then return first end
  for i = first, first + count * 2 - 1, 2 do
    if ARGV[i + 1] == '' then
      redis.call('HDEL', key, ARGV[i])
    else
      redis.call('HSET', key, ARGV[i], ARGV[i + 1])
    end
  end
  if counted then
    redis.call('HSETNX', key, 'v', '1')
    redis.call('HINCRBY', key, '#', 1)
  end
  return first + count * 2
end
