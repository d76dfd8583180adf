import type { Cluster, Redis } from 'ioredis';

/** An ioredis client, which the caller opens and closes: of a single server, of Sentinel, or of a Cluster. */
export type RedisClient = Redis | Redis<'resp3'> | Cluster | Cluster<'resp3'>;

/** The same to the compiler: what scripts answer has one shape under either protocol. */
export type Resp2Client = Redis | Cluster;

/** Whether keys live in several slots, so that one script cannot reach a user's keys and the app's. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/** What ioredis is connected by, another after each reconnection; Cluster has none of its own. Listeners would stay for good. */
export function connectionOf(client: RedisClient): unknown {
  return (client as { stream?: unknown }).stream;
}

/** Names the server for messages: host, port and database, never the password. */
export function describeServer(client: RedisClient): string {
  try {
    if (isCluster(client)) {
      const nodes = client.nodes().map(addressOf).join(', ');
      return nodes === '' ? 'The Redis Cluster, of which no node was found,' : `The Redis Cluster of ${nodes}`;
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
