import type { ArtifactService } from '@thole/core';
import { databaseUrl } from './database-url.ts';
import { openRedis } from './open-redis.ts';
import type { OpenContext, OpenService, ServiceTable } from './service-table.ts';
import { inProcess } from './service-table.ts';
import type { ServiceUri } from './service-uri.ts';
import { folderOf } from './service-uri.ts';

/** What keeps artifacts, by the scheme of its URI. Each is loaded when it is opened. */
export const artifactServices: ServiceTable<ArtifactService> = {
  memory: openInMemory,
  file: openFolder,
  sqlite: openDatabase,
  postgresql: openDatabase,
  mysql: openDatabase,
  redis: openInRedis,
  rediss: openInRedis,
};

async function openInMemory(): Promise<OpenService<ArtifactService>> {
  const { InMemoryArtifactService } = await import('@thole/mem-services');
  return inProcess(new InMemoryArtifactService());
}

async function openFolder(uri: ServiceUri, { cwd, option }: OpenContext): Promise<OpenService<ArtifactService>> {
  const { FileArtifactService } = await import('@thole/mem-services/file');
  return inProcess(new FileArtifactService({ rootDir: folderOf(uri, option, cwd) }));
}

async function openDatabase(uri: ServiceUri, { cwd, runtime }: OpenContext): Promise<OpenService<ArtifactService>> {
  const { DatabaseArtifactService } = await import('@thole/sql-services');
  const service = new DatabaseArtifactService({ dbUrl: await databaseUrl(uri, cwd), runtime });
  return { service, ping: () => service.ping(), close: () => service.close() };
}

async function openInRedis(uri: ServiceUri, { runtime }: OpenContext): Promise<OpenService<ArtifactService>> {
  const { RedisArtifactService } = await import('@thole/redis-services');
  const { client, close } = await openRedis(uri);
  const ping = async (): Promise<void> => void (await client.ping());
  return { service: new RedisArtifactService(client, { runtime }), ping, close };
}
