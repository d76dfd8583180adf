import { createHash } from 'node:crypto';
import { readLuaFile } from './read-lua-file.ts';

/** A Lua script that Redis runs as one atomic step. */
export interface RedisScript {
  readonly source: string;
  /** SHA-1 of the source. EVALSHA names a script by it. */
  readonly sha: string;
}

/**
 * Returns the script of a Lua file, such as `session/append-event`. A line `-- @include <file>` is replaced by the code of that file.
 */
export function redisScript(name: string): RedisScript {
  const source = resolveIncludes(readLuaFile(name));
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

function resolveIncludes(text: string): string {
  return text.replace(/^-- @include (\S+)$/gm, (_, included: string) =>
    resolveIncludes(readLuaFile(included).trimEnd()),
  );
}
