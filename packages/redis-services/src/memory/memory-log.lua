-- Shared code for the memory log of a user. Ids and sessions are JSON texts, so they contain no line breaks.
-- `read_head(key)` returns the last seq, the number of removals and the time before which all is forgotten. It returns nil if there is
-- no log, and nil, nil, nil and the version if another version of this package wrote the log.
local function read_head(key)
  local found = redis.call('HMGET', key, 'v', 'seq', 'removals', 'until')
  if not found[1] then return nil end
  if found[1] ~= '1' then return nil, nil, nil, found[1] end
  return tonumber(found[2] or 0), tonumber(found[3] or 0), tonumber(found[4] or ''), nil
end
-- `parse_element(element)` returns time, kind and session of an entry; each is '' if the entry has none.
local function parse_element(element)
  return string.match(element, '^([^\n]*)\n([^\n]*)\n([^\n]*)\n')
end
-- `remove_from_indexes(element, id, facts, sessions)` removes an entry from the indexes of facts and of sessions.
local function remove_from_indexes(element, id, facts, sessions)
  local _, kind, session = parse_element(element)
  if kind == 'fact' then redis.call('ZREM', facts, id) end
  if session ~= '' then redis.call('ZREM', sessions, session .. '\n' .. id) end
end
