import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOnFreePort } from './start-on-free-port.ts';
import { redisPrograms } from './redis-programs.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface RedisOptions {
  /** Lines of redis.conf, such as `appendonly yes`. They override the default lines. */
  config?: readonly string[] | undefined;
  /** Folder of the data. It is not removed. Default: a temporary folder, which is removed. */
  dir?: string | undefined;
}

/** Starts a redis-server that stores nothing on disk unless `config` says so. Its URL is `redis://127.0.0.1:<port>`. */
export async function startRedis(options: RedisOptions = {}): Promise<Server> {
  return startOnFreePort((port) => startRedisNode(port, options));
}

/** Starts a redis-server at a port, like `startRedis`. */
export async function startRedisNode(
  port: number,
  options: RedisOptions,
  args: readonly string[] = [],
): Promise<Server> {
  const { server: command } = await redisPrograms();
  const folder = options.dir ?? temporaryFolder('redis');
  const conf = join(folder, 'server.conf');
  const sentinel = args.includes('--sentinel');
  const defaults = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir "${folder}"`,
    ...(sentinel ? [] : ['save ""', 'databases 64']),
  ];
  writeFileSync(conf, [...defaults, ...(options.config ?? []), ''].join('\n'));
  const running = await ServerProcess.start({
    ...{ name: 'redis-server', command, args: [conf, ...args], folder, temporary: options.dir === undefined },
    ready: sentinel ? /\+monitor master/ : /Ready to accept connections/,
    stopSignal: 'SIGTERM',
  });
  return serverOf(running, { url: `redis://127.0.0.1:${port}`, port, folder });
}
