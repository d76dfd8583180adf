-- Shared code for Cluster: `add_to_outbox(outbox, user_state, entry)` appends a change of the app's keys to the user's outbox.
-- Entries get increasing numbers. After a deletion of the user, the last number remains for a day. Then numbers continue from the clock.
local function add_to_outbox(outbox, user_state, entry)
  local number = math.max((tonumber(redis.call('HGET', user_state, '@') or 0)) + 1, now * 1000)
  number = string.format('%.0f', number)
  redis.call('HSET', user_state, '@', number)
  redis.call('PERSIST', user_state)
  entry.n = number
  redis.call('RPUSH', outbox, cjson.encode(entry))
end
