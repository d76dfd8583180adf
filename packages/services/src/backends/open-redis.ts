import type { Redis } from 'ioredis';
import { TholeError } from '@thole/core';
import { invalidUri } from '../uri/invalid-uri.ts';
import type { Connection } from '../connections.ts';
import { packageMissing } from '../load-package.ts';
import type { ServiceUri } from '../uri/service-uri.ts';

/** A Redis client, and a check that reports why the client is not connected. */
export interface RedisConnection {
  client: Redis;
  /**
   * Runs a first call. If it fails, it throws `STORE_UNAVAILABLE` with the last error of the connection as its cause,
   * such as ECONNREFUSED.
   */
  ping: (call: () => Promise<unknown>) => Promise<void>;
}

/** Opens a client for a `redis://` or `rediss://` URI. Throws `INVALID_INPUT` for an invalid URI. */
export async function openRedis(
  { scheme, rest }: ServiceUri,
  { uriName }: { uriName: string },
): Promise<Connection<RedisConnection>> {
  const url = `${scheme}://${rest}`;
  if (!URL.canParse(url) || !/^(?:\/\d*)?$/.test(new URL(url).pathname))
    throw invalidUri(`${uriName} must be a URL such as redis://user:password@host:6379/0.`);
  const { Redis } = await loadIoredis();
  const client = new Redis(url);
  let lastError: unknown;
  client.on('connect', () => (lastError = undefined));
  client.on('error', (error) => (lastError = error));
  const ping = async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await call();
      // For example, if the database number is unknown, the client silently uses database 0.
      if (lastError !== undefined)
        throw new TholeError('STORE_UNAVAILABLE', 'Redis rejected the settings of the URL.', { cause: lastError });
    } catch (error) {
      if (TholeError.is(error) && (error.cause !== undefined || lastError === undefined)) throw error;
      throw new TholeError('STORE_UNAVAILABLE', (error as Error).message, { cause: lastError ?? error });
    }
  };
  return { value: { client, ping }, close: async () => client.disconnect() };
}

async function loadIoredis() {
  try {
    return await import('ioredis');
  } catch (cause) {
    throw packageMissing('ioredis', cause);
  }
}
