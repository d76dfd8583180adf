import type { Cluster, Redis } from 'ioredis';

/** An ioredis client of a single server, of Sentinel or of a Cluster. The caller opens and closes it. */
export type RedisClient = Redis | Redis<'resp3'> | Cluster | Cluster<'resp3'>;

/** A client with the reply types of RESP2. The replies of our scripts have the same types under RESP3. */
export type Resp2Client = Redis | Cluster;

/** True if the keys are in several slots, so that one script cannot use keys of a user and keys of the app. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/**
 * Returns the current connection of a client, a different object after each reconnection, or undefined for a Cluster client. Comparing
 * it needs no listeners, which would remain on the caller's client.
 */
export function connectionOf(client: RedisClient): unknown {
  return (client as { stream?: unknown }).stream;
}

/** Returns the code of the error that ended the client's last connection, such as ECONNREFUSED. Undefined if there is none. */
export function connectionErrorCode(client: RedisClient): string | undefined {
  const { errored } = (connectionOf(client) ?? {}) as { errored?: { code?: unknown } | null };
  return typeof errored?.code === 'string' ? errored.code : undefined;
}

/** Returns the server's host, port and database for messages, without the password. */
export function describeServer(client: RedisClient): string {
  try {
    if (isCluster(client)) {
      const nodes = client.nodes().map(addressOf).join(', ');
      return nodes === '' ? 'The Redis Cluster (no node was found)' : `The Redis Cluster of ${nodes}`;
    }
    return `Redis at ${addressOf(client as Redis)}, database ${(client as Redis).options.db ?? 0},`;
  } catch {
    return 'Redis';
  }
}

function addressOf({ options }: { options: Redis['options'] }): string {
  const { host, path, port, name, sentinels } = options;
  if (sentinels) return `the sentinels' ${name}`;
  return path ?? `${host ?? 'localhost'}:${port ?? 6379}`;
}
