/**
 * Lua for other scripts: `head(key)` answers seq, removals and until of a user's memory, or nil where there is none, and as the
 * fourth the version where it is not ours; `told(element)` the time, kind and session of an element, each '' where there is none; `unlist(element, id, facts,
 * sessions)` takes an entry out of the lists of facts and sessions. Ids and sessions are JSON texts, which hold no line break.
 */
export const MEMORY_LINES = `
local function head(key)
  local found = redis.call('HMGET', key, 'v', 'seq', 'removals', 'until')
  if not found[1] then return nil end
  if found[1] ~= '1' then return nil, nil, nil, found[1] end
  return tonumber(found[2] or 0), tonumber(found[3] or 0), tonumber(found[4] or ''), nil
end
local function told(element)
  return string.match(element, '^([^\\n]*)\\n([^\\n]*)\\n([^\\n]*)\\n')
end
local function unlist(element, id, facts, sessions)
  local _, kind, session = told(element)
  if kind == 'fact' then redis.call('ZREM', facts, id) end
  if session ~= '' then redis.call('ZREM', sessions, session .. '\\n' .. id) end
end
`;
