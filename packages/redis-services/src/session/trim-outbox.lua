-- On Cluster: removes the entries of a user's outbox that were applied to the app's keys.
-- KEYS: outbox.
-- ARGV: deadline, the number of the last applied entry, or 0 to remove none.
-- Returns: the next entries, at most 100.
local entry = redis.call('LINDEX', KEYS[1], 0)
while entry and tonumber(cjson.decode(entry).n) <= tonumber(ARGV[2]) do
  redis.call('LPOP', KEYS[1])
  entry = redis.call('LINDEX', KEYS[1], 0)
end
return redis.call('LRANGE', KEYS[1], 0, 99)
