-- Shared code: `list_waiting(record, user_state, app_state, app_member)` updates the lists of waiting sessions, and the field `waits`,
-- after the marks or the last update time of a session have changed. It derives the keys of the lists from the state keys: they share
-- their slots. On Cluster `app_state` is false. Returns true if the session waits, and its times in the app's lists: [unfinished, due,
-- interrupts], '' for none.
local function list_waiting(record, user_state, app_state, app_member)
  local marks = redis.call('HMGET', record, 'unfinished', 'wakeAt', 'openInterrupts', 'ut')
  local times = {marks[1] and marks[4] or '', marks[2] or '', marks[3] and marks[4] or ''}
  local waits = (marks[1] or marks[2] or marks[3]) and true or false
  local user_waiting = string.sub(user_state, 1, -2) .. 'v'
  local session = string.match(app_member, '^%Z+')
  if waits then
    redis.call('HSET', record, 'waits', '1')
    redis.call('SADD', user_waiting, session)
  else
    redis.call('HDEL', record, 'waits')
    redis.call('SREM', user_waiting, session)
  end
  if app_state then
    local base = string.sub(app_state, 1, -2)
    for i, key in ipairs({base .. 'wu', base .. 'wd', base .. 'wi'}) do
      if times[i] == '' then redis.call('ZREM', key, app_member) else redis.call('ZADD', key, times[i], app_member) end
    end
  end
  return waits, times
end
