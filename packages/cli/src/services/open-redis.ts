import type { Redis } from 'ioredis';
import type { ServiceUri } from './service-uri.ts';

/** A client for a `redis://` or `rediss://` URI, and what disconnects it. */
export async function openRedis({ scheme, rest }: ServiceUri): Promise<{ client: Redis; close: () => Promise<void> }> {
  const { Redis } = await import('ioredis');
  const client = new Redis(`${scheme}://${rest}`);
  // What a lost connection fails is told by the call that failed.
  client.on('error', () => {});
  return { client, close: async () => client.disconnect() };
}
