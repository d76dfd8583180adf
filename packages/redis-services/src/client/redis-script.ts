import { createHash } from 'node:crypto';

/** A Lua script that Redis runs as one atomic step. */
export interface RedisScript {
  readonly source: string;
  /** By which Redis knows it once it has seen it. */
  readonly sha: string;
}

/** A script that begins with what all of them share. */
export function redisScript(body: string): RedisScript {
  const source = `${PRELUDE}${body}`;
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// ARGV[1]: the time of the server (ms) after which nothing may be written; where a clock is given, also what the time is.
const PRELUDE = `
local deadline = tonumber(ARGV[1])
local now
if deadline then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
else
  deadline, now = string.match(ARGV[1], '^(%d+) (%d+)$')
  deadline, now = tonumber(deadline), tonumber(now)
end
local late = now > deadline
`;
