-- Shared code: `read_head(record, events, user_state, app_state)` returns [incarnation, lastSeq, id of the last event (JSON) or '',
-- userVersion, appVersion] of a session, or an empty list if the session does not exist. Without `app_state` (on Cluster) appVersion
-- is 0.
local function read_head(record, events, user_state, app_state)
  local fields = redis.call('HMGET', record, 'inc', 'seq', 'exp')
  if not fields[1] or (fields[3] and tonumber(fields[3]) <= now) then return {} end
  local user_version = redis.call('HGET', user_state, '#') or 0
  local app_version = app_state and redis.call('HGET', app_state, '#') or 0
  local id = string.match(redis.call('LINDEX', events, -1) or '', '^[^\n]+\n([^\n]+)') or ''
  return {fields[1], fields[2], id, user_version, app_version}
end
