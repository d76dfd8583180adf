import type { SessionService } from '@thole/core';

export interface OpenSessions {
  service: SessionService;
  close: () => Promise<void>;
}

/** Opens the session service of a URL, also in a child process. Loads only the packages of that database. */
export async function openSessions(url: string, options: { timeoutMs?: number } = {}): Promise<OpenSessions> {
  return url.startsWith('redis:') ? openRedis(url, options) : openDatabase(url, options);
}

async function openRedis(url: string, options: { timeoutMs?: number }): Promise<OpenSessions> {
  const { Redis } = await import('ioredis');
  const { RedisSessionService } = await import('@thole/redis-services');
  const client = new Redis(url);
  // Calls report a lost connection.
  client.on('error', () => {});
  return {
    service: new RedisSessionService(client, options),
    close: async () => client.disconnect(),
  };
}

async function openDatabase(url: string, options: { timeoutMs?: number }): Promise<OpenSessions> {
  const { DatabaseSessionService } = await import('@thole/sql-services');
  const service = new DatabaseSessionService({ dbUrl: url, ...options });
  return { service, close: () => service.close() };
}
