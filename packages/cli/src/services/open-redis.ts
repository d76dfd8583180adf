import type { Redis } from 'ioredis';
import type { Connection } from './connections.ts';
import { loadDriver } from './load-driver.ts';
import type { ServiceUri } from './service-uri.ts';

/** A client for a `redis://` or `rediss://` URI, and what disconnects it. */
export async function openRedis({ scheme, rest }: ServiceUri): Promise<Connection<Redis>> {
  const { Redis } = await loadDriver('ioredis', () => import('ioredis'));
  const client = new Redis(`${scheme}://${rest}`);
  // What a lost connection fails is told by the call that failed.
  client.on('error', () => {});
  return { value: client, close: async () => client.disconnect() };
}
