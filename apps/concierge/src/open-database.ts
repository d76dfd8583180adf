import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EnvVars, MemoryService, Runtime, SessionService } from '@thole/core';
import type { PrunableMemory } from '@thole/memory';

/** Where conversations and memories are kept: services over one database. */
export interface Database {
  sessionService: SessionService;
  memoryService: Required<MemoryService> & PrunableMemory;
  /** Lets go of the database. */
  close: () => Promise<void>;
}

/**
 * The database that `THOLE_SESSION_URL` names (`redis://…`, `postgresql://…`, `mysql://…`, `sqlite:///…`), else `concierge.db` in
 * the folder `THOLE_DATA` (`./.thole`), which is made. `INVALID_INPUT` for a URL of another kind.
 */
export async function openDatabase(p: { runtime: Runtime; env: EnvVars }): Promise<Database> {
  const { runtime, env } = p;
  const url = env['THOLE_SESSION_URL']?.trim() || fileIn(env);
  return /^rediss?:/i.test(url) ? openRedis(url, runtime) : openSql(url, runtime);
}

/** A package manager that runs the app in its own folder says in `INIT_CWD` where it was called. */
function fileIn(env: EnvVars): string {
  const folder = resolve(env['INIT_CWD'] ?? '.', env['THOLE_DATA']?.trim() || '.thole');
  mkdirSync(folder, { recursive: true });
  return `sqlite:///${join(folder, 'concierge.db').split(/[\\/]/).map(encodeURIComponent).join('/')}`;
}

async function openSql(dbUrl: string, runtime: Runtime): Promise<Database> {
  const { DatabaseMemoryService, DatabaseSessionService } = await import('@thole/sql-services');
  const sessionService = new DatabaseSessionService({ dbUrl, runtime });
  const memoryService = new DatabaseMemoryService({ dbUrl, runtime });
  const close = async (): Promise<void> => {
    await Promise.all([sessionService.close(), memoryService.close()]);
  };
  return { sessionService, memoryService, close };
}

async function openRedis(url: string, runtime: Runtime): Promise<Database> {
  const { Redis } = await import('ioredis');
  const { RedisMemoryService, RedisSessionService } = await import('@thole/redis-services');
  const client = new Redis(url);
  // What a lost connection fails is told by the call that failed.
  client.on('error', () => {});
  return {
    sessionService: new RedisSessionService(client, { runtime }),
    memoryService: new RedisMemoryService(client, { runtime }),
    close: async () => client.disconnect(),
  };
}
