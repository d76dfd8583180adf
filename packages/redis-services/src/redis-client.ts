import type { Cluster, Redis } from 'ioredis';

/** An ioredis client, which the caller opens and closes: of a single server, of Sentinel, or of a Cluster. */
export type RedisClient = Redis | Redis<'resp3'> | Cluster | Cluster<'resp3'>;

/** The same to the compiler: what scripts answer has one shape under either protocol. */
export type PlainClient = Redis | Cluster;

/** Whether keys live in several slots, so that one script cannot reach a user's keys and the app's. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/** Every command of a client has a form that answers bytes; the client's types leave out those of the scripts. */
export interface BytesOfScripts {
  evalshaBuffer(sha: string, keys: number, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
  evalBuffer(source: string, keys: number, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
}
