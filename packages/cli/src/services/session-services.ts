import type { SessionService } from '@thole/core';
import { databaseUrl } from './database-url.ts';
import { openRedis } from './open-redis.ts';
import type { OpenContext, OpenService, ServiceTable } from './service-table.ts';
import { inProcess } from './service-table.ts';
import type { ServiceUri } from './service-uri.ts';

/** What keeps sessions, by the scheme of its URI. Each is loaded when it is opened. */
export const sessionServices: ServiceTable<SessionService> = {
  memory: openInMemory,
  sqlite: openDatabase,
  postgresql: openDatabase,
  mysql: openDatabase,
  redis: openInRedis,
  rediss: openInRedis,
};

async function openInMemory(_uri: ServiceUri, { runtime }: OpenContext): Promise<OpenService<SessionService>> {
  const { InMemorySessionService } = await import('@thole/mem-services');
  return inProcess(new InMemorySessionService({ runtime }));
}

async function openDatabase(uri: ServiceUri, { cwd, runtime }: OpenContext): Promise<OpenService<SessionService>> {
  const { DatabaseSessionService } = await import('@thole/sql-services');
  const service = new DatabaseSessionService({ dbUrl: await databaseUrl(uri, cwd), runtime });
  return { service, ping: () => service.ping(), close: () => service.close() };
}

async function openInRedis(uri: ServiceUri, { runtime }: OpenContext): Promise<OpenService<SessionService>> {
  const { RedisSessionService } = await import('@thole/redis-services');
  const { client, close } = await openRedis(uri);
  const service = new RedisSessionService(client, { runtime });
  return { service, ping: () => service.ping(), close };
}
