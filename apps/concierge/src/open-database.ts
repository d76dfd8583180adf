import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EnvVars, MemoryService, Runtime, SessionService } from '@thole/core';
import type { PrunableMemory } from '@thole/memory';

/** Sessions and memory in one database. */
export interface Database {
  sessionService: SessionService;
  memoryService: Required<MemoryService> & PrunableMemory;
  /** Closes the database. */
  close: () => Promise<void>;
}

/**
 * Opens the database that `THOLE_SESSION_URL` names (`redis://…`, `postgresql://…`, `mysql://…`, `sqlite:///…`),
 * otherwise `concierge.db` in the folder `THOLE_DATA` (`./.thole`), which is created. With `agentengine://…`, sessions are
 * on Vertex AI and memory is in this file. Throws `INVALID_INPUT` for another kind of URL.
 */
export async function openDatabase(p: { runtime: Runtime; env: EnvVars }): Promise<Database> {
  const { runtime, env } = p;
  const url = env['THOLE_SESSION_URL']?.trim() || fileIn(env);
  const [, agentEngineId] = /^agentengine:\/\/(.+)$/i.exec(url) ?? [];
  if (agentEngineId !== undefined) return openVertex(agentEngineId, fileIn(env), runtime);
  return /^rediss?:/i.test(url) ? openRedis(url, runtime) : openSql(url, runtime);
}

/** Package managers that run the app in its own folder set `INIT_CWD` to the folder of the caller. */
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

/** Memory Bank extracts facts with Google's models and has no retention, so memory is in the file. */
async function openVertex(agentEngineId: string, dbUrl: string, runtime: Runtime): Promise<Database> {
  const { VertexAiSessionService } = await import('@thole/vertex-services');
  const { DatabaseMemoryService } = await import('@thole/sql-services');
  const memoryService = new DatabaseMemoryService({ dbUrl, runtime });
  return {
    sessionService: new VertexAiSessionService({ agentEngineId, runtime }),
    memoryService,
    close: () => memoryService.close(),
  };
}

async function openRedis(url: string, runtime: Runtime): Promise<Database> {
  const { Redis } = await import('ioredis');
  const { RedisMemoryService, RedisSessionService } = await import('@thole/redis-services');
  const client = new Redis(url);
  // Calls report a lost connection.
  client.on('error', () => {});
  return {
    sessionService: new RedisSessionService(client, { runtime }),
    memoryService: new RedisMemoryService(client, { runtime }),
    close: async () => client.disconnect(),
  };
}
