import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment, Runtime, SessionService } from '@thole/core';

export interface OpenSessions {
  sessionService: SessionService;
  /** Lets go of the database. */
  close: () => Promise<void>;
}

/**
 * Where conversations are kept: in the database that `THOLE_SESSION_URL` names (`redis://…`, `postgresql://…`, `sqlite:///…`),
 * else in `concierge.db` in the folder `THOLE_DATA` (`./.thole`), which is made. `INVALID_INPUT` for a URL of another kind.
 */
export async function openSessions(p: { runtime: Runtime; env: Environment }): Promise<OpenSessions> {
  const { runtime, env } = p;
  const url = env['THOLE_SESSION_URL']?.trim() || fileIn(env);
  return /^rediss?:/i.test(url) ? openRedis(url, runtime) : openDatabase(url, runtime);
}

/** A package manager that runs the app in its own folder says in `INIT_CWD` where it was called. */
function fileIn(env: Environment): string {
  const folder = resolve(env['INIT_CWD'] ?? '.', env['THOLE_DATA']?.trim() || '.thole');
  mkdirSync(folder, { recursive: true });
  return `sqlite:///${join(folder, 'concierge.db').split(/[\\/]/).map(encodeURIComponent).join('/')}`;
}

async function openDatabase(dbUrl: string, runtime: Runtime): Promise<OpenSessions> {
  const { DatabaseSessionService } = await import('@thole/sql-services');
  const sessionService = new DatabaseSessionService({ dbUrl, runtime });
  return { sessionService, close: () => sessionService.close() };
}

async function openRedis(url: string, runtime: Runtime): Promise<OpenSessions> {
  const { Redis } = await import('ioredis');
  const { RedisSessionService } = await import('@thole/redis-services');
  const client = new Redis(url);
  // What a lost connection fails is told by the call that failed.
  client.on('error', () => {});
  return {
    sessionService: new RedisSessionService(client, { runtime }),
    close: async () => client.disconnect(),
  };
}
