import { onAFreePort } from './on-a-free-port.ts';
import { redisCli } from './redis-programs.ts';
import type { Server } from './server.ts';
import { startRedisNode } from './start-redis.ts';
import { until } from './until.ts';

export interface RedisClusterOptions {
  /** 3 at least, which is the default. */
  masters?: number | undefined;
  /** Of each master; 0 by default. */
  replicas?: number | undefined;
  /** Lines of redis.conf for every node. */
  config?: readonly string[] | undefined;
}

export interface RedisCluster {
  /** Masters first. */
  nodes: readonly Server[];
  /** `{host, port}` of every node, as ioredis takes them. */
  addresses: readonly { host: string; port: number }[];
  /** Every node answers that the cluster is whole. */
  whole(): Promise<void>;
  /** Stops every node; `remove()` takes their folders too. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** A Redis Cluster whose slots are all served when this resolves. A node is given up after a second of silence. */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 0, config = [] } = options;
  const lines = ['cluster-enabled yes', 'cluster-node-timeout 1000', 'repl-diskless-sync-delay 0', ...config];
  // The bus of a node is at its port + 10,000.
  const one = (): Promise<Server> => onAFreePort((port) => startRedisNode(port, { config: lines }), 10_000);
  const nodes = await Promise.all(Array.from({ length: masters * (1 + replicas) }, one));
  const all = async (act: (node: Server) => Promise<void>): Promise<void> => void (await Promise.all(nodes.map(act)));
  const whole = (): Promise<void> =>
    all((node) => until(() => isWhole(node, nodes.length, masters * replicas), { why: 'the cluster is not whole' }));
  try {
    const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
    const how = ['--cluster-replicas', String(replicas), '--cluster-yes'];
    await redisCli(nodes[0]!.port, '--cluster', 'create', ...places, ...how);
    await whole();
  } catch (error) {
    await all((node) => node.remove());
    throw error;
  }
  return {
    nodes,
    addresses: nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    whole,
    stop: () => all((node) => node.stop()),
    remove: () => all((node) => node.remove()),
  };
}

async function isWhole(node: Server, size: number, replicas: number): Promise<boolean> {
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
