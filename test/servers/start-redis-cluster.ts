import { startOnFreePort } from './start-on-free-port.ts';
import { redisCli } from './redis-programs.ts';
import type { Server } from './server.ts';
import { startRedisNode } from './start-redis.ts';
import { until } from './until.ts';

/** Options of `startRedisCluster`. */
export interface RedisClusterOptions {
  /** Number of masters, at least 3. Default: 3. */
  masters?: number | undefined;
  /** Number of replicas of each master. Default: 0. */
  replicas?: number | undefined;
  /** Lines of redis.conf of every node. */
  config?: readonly string[] | undefined;
}

/** A running Redis Cluster. */
export interface RedisCluster {
  /** Nodes, masters first. */
  nodes: readonly Server[];
  /** Host and port of every node, for ioredis. */
  addresses: readonly { host: string; port: number }[];
  /** Resolves when every node knows all other nodes and all slots are served. */
  ready(): Promise<void>;
  /** Stops every node. `remove` also deletes their folders. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Each question starts two processes, and the answers change within seconds. */
const everyMs = 100;

/** Starts a Redis Cluster and waits until all slots are served. A node counts as failed after five seconds without an answer. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 0, config = [] } = options;
  const lines = ['cluster-enabled yes', 'cluster-node-timeout 5000', 'repl-diskless-sync-delay 0', ...config];
  // Nodes connect to each other at their port + 10,000.
  const startNode = (): Promise<Server> => startOnFreePort((port) => startRedisNode(port, { config: lines }), 10_000);
  const nodes = await Promise.all(Array.from({ length: masters * (1 + replicas) }, startNode));
  const all = async (act: (node: Server) => Promise<void>): Promise<void> => void (await Promise.all(nodes.map(act)));
  const ready = (): Promise<void> =>
    all((node) =>
      until(() => isReady(node, nodes.length, masters * replicas), { everyMs, why: 'the cluster is not ready' }),
    );
  try {
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const replicaOptions = ['--cluster-replicas', String(replicas), '--cluster-yes'];
    await redisCli(nodes[0]!.port, '--cluster', 'create', ...addresses, ...replicaOptions);
    await ready();
  } catch (error) {
    await all((node) => node.remove());
    throw error;
  }
  return {
    nodes,
    addresses: nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    ready,
    stop: () => all((node) => node.stop()),
    remove: () => all((node) => node.remove()),
  };
}

async function isReady(node: Server, size: number, replicas: number): Promise<boolean> {
  const info = await redisCli(node.port, 'cluster', 'info').catch(() => '');
  const members = await redisCli(node.port, 'cluster', 'nodes').catch(() => '');
  const count = (pattern: RegExp): number => [...members.matchAll(pattern)].length;
  return (
    /cluster_state:ok/.test(info) &&
    count(/^\S+ 127/gm) === size &&
    count(/ (?:myself,)?slave /g) === replicas &&
    count(/fail|handshake|noaddr/g) === 0
  );
}
