/**
 * Lua for other scripts: `head(record, user, app)` answers [incarnation, lastSeq, userVersion, appVersion], or nothing where there is no
 * session. Without `app` (Cluster) its version is 0.
 */
export const READ_HEAD = `
local function head(record, user, app)
  local fields = redis.call('HMGET', record, 'inc', 'seq', 'exp')
  if not fields[1] or (fields[3] and tonumber(fields[3]) <= now) then return {} end
  return {fields[1], fields[2], redis.call('HGET', user, '#') or 0, app and redis.call('HGET', app, '#') or 0}
end
`;
