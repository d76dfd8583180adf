-- Finds the ids that a user's memory log has never contained.
-- KEYS: head, log.
-- ARGV: deadline, id ….
-- Returns: '<last seq> <index> …', with the 0-based indexes of the new ids. A log keeps every id that it once contained.
local reply = {redis.call('HGET', KEYS[1], 'seq') or '0'}
for i = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[2], ARGV[i]) then reply[#reply + 1] = string.format('%d', i - 2) end
end
return table.concat(reply, ' ')
