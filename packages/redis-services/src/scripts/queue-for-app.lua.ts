/**
 * Lua for other scripts, on Cluster: `queue(pending, state, entry)` puts what the app's slot is to be told at the end of the
 * user's pending list, under a number that grows for good: it outlives the user's deletion for a day, and goes on from the clock after it.
 */
export const QUEUE_FOR_APP = `
local function queue(pending, state, entry)
  local number = math.max((tonumber(redis.call('HGET', state, '@') or 0)) + 1, now * 1000)
  number = string.format('%.0f', number)
  redis.call('HSET', state, '@', number)
  redis.call('PERSIST', state)
  entry.n = number
  redis.call('RPUSH', pending, cjson.encode(entry))
end
`;
