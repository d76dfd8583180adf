import type { SessionService } from '@thole/core';

export interface OpenSessions {
  service: SessionService;
  close: () => Promise<void>;
}

/** The service of a backend, by its URL alone, so that a child process can open it too; it loads that backend alone. */
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
