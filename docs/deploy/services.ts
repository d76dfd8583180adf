import { RedisMemoryService, RedisSessionService } from '@thole/redis-services';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import type { MemoryService, SessionService } from 'thole';

/** Sessions and memory in one database. */
export interface Services {
  sessionService: SessionService;
  memoryService: Required<MemoryService>;
  close: () => Promise<unknown>;
}

/** Opens Redis if REDIS_URL is set, otherwise the SQL database of DATABASE_URL. Waits until the database answers. */
export async function openServices({ REDIS_URL, DATABASE_URL } = process.env): Promise<Services> {
  if (!REDIS_URL && !DATABASE_URL) throw new Error('Set DATABASE_URL or REDIS_URL.');
  return REDIS_URL ? openRedis(REDIS_URL) : openDatabase(DATABASE_URL!);
}

async function openRedis(url: string): Promise<Services> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  client.on('error', (error) => console.error('Redis:', error.message));
  const sessionService = new RedisSessionService(client);
  await sessionService.ping();
  return { sessionService, memoryService: new RedisMemoryService(client), close: async () => client.disconnect() };
}

async function openDatabase(url: string): Promise<Services> {
  const sessionService = new DatabaseSessionService(url);
  const memoryService = new DatabaseMemoryService(url);
  await sessionService.ping();
  return {
    sessionService,
    memoryService,
    close: () => Promise.all([sessionService.close(), memoryService.close()]),
  };
}
