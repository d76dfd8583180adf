import { startOnFreePort } from './start-on-free-port.ts';
import { redisCli } from './redis-programs.ts';
import type { Server } from './server.ts';
import { startRedis, startRedisNode } from './start-redis.ts';
import { until } from './until.ts';

/** Options of `startRedisSentinel`. */
export interface RedisSentinelOptions {
  /** Number of sentinels, 1 or 3. Default: 1. */
  sentinels?: number | undefined;
  /** Lines of redis.conf of primary and replica. */
  config?: readonly string[] | undefined;
}

/** A running primary and replica with sentinels. */
export interface RedisSentinel {
  /** The sentinels' name for the primary. */
  name: string;
  /** Primary and replica at the start. */
  primary: Server;
  replica: Server;
  sentinels: readonly Server[];
  /** Host and port of the sentinels, for ioredis. */
  addresses: readonly { host: string; port: number }[];
  /** Returns the port of the current primary, from the first sentinel. */
  primaryPort(): Promise<number>;
  /** Makes the sentinels exchange primary and replica. Resolves after the exchange. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

const name = 'main';
/** Each question starts a process, and the answers change within seconds. */
const everyMs = 100;

/** Starts a primary, a replica and sentinels, which replace the primary after two seconds without an answer. */
export async function startRedisSentinel(options: RedisSentinelOptions = {}): Promise<RedisSentinel> {
  const { sentinels: count = 1, config = [] } = options;
  const primary = await startRedis({ config: ['repl-diskless-sync-delay 0', ...config] });
  const replica = await startRedis({
    config: [`replicaof 127.0.0.1 ${primary.port}`, 'repl-diskless-sync-delay 0', ...config],
  });
  const sentinelConfig = [
    `sentinel monitor ${name} 127.0.0.1 ${primary.port} ${Math.floor(count / 2) + 1}`,
    `sentinel down-after-milliseconds ${name} 2000`,
    `sentinel failover-timeout ${name} 6000`,
  ];
  const startSentinel = (): Promise<Server> =>
    startOnFreePort((port) => startRedisNode(port, { config: sentinelConfig }, ['--sentinel']));
  const sentinels = await Promise.all(Array.from({ length: count }, startSentinel));
  const all = async (act: (server: Server) => Promise<void>): Promise<void> =>
    void (await Promise.all([...sentinels, replica, primary].map(act)));
  const ask = (...command: readonly string[]): Promise<string> =>
    redisCli(sentinels[0]!.port, 'sentinel', ...command).catch(() => '');
  const primaryPort = async (): Promise<number> => Number((await ask('get-master-addr-by-name', name)).split('\n')[1]);

  await until(async () => /master_link_status:up/.test(await redisCli(replica.port, 'info', 'replication')), {
    everyMs,
    why: 'the replica is not synchronised',
  });
  for (const { port } of sentinels) {
    await until(async () => knows(await redisCli(port, 'sentinel', 'master', name), count - 1), {
      everyMs,
      why: 'the sentinels do not know each other',
    });
  }
  return {
    ...{ name, primary, replica, sentinels, primaryPort },
    addresses: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    failOver: async () => {
      const before = await primaryPort();
      const changed = async (): Promise<boolean> => ![before, NaN].includes(await primaryPort());
      // Sentinels abort a failover that takes too long. In this case it is requested again.
      await until(
        async () => {
          await ask('failover', name);
          return until(changed, { limitMs: 5_000, everyMs }).then(
            () => true,
            () => false,
          );
        },
        { why: 'the primary did not change' },
      );
    },
    stop: () => all((server) => server.stop()),
    remove: () => all((server) => server.remove()),
  };
}

function knows(answer: string, others: number): boolean {
  const lines = answer.split('\n');
  const valueOf = (field: string): number => Number(lines[lines.indexOf(field) + 1]);
  return valueOf('num-slaves') === 1 && valueOf('num-other-sentinels') === others;
}
