import { findOrInstall } from './find-or-install.ts';
import { findProgram } from './find-programs.ts';
import { runProgram } from './run-program.ts';

interface RedisPrograms {
  server: string;
  cli: string;
}

/** Returns the paths of `redis-server` and `redis-cli`, or of the programs of Valkey. */
export function redisPrograms(): Promise<RedisPrograms> {
  return findOrInstall('redis', () => {
    const server = findProgram('redis-server', 'valkey-server');
    const cli = findProgram('redis-cli', 'valkey-cli');
    return server !== undefined && cli !== undefined ? { server, cli } : undefined;
  });
}

/** Returns the server's answer to a command, as `redis-cli` prints it. */
export async function redisCli(port: number, ...command: readonly string[]): Promise<string> {
  const { cli } = await redisPrograms();
  return runProgram(cli, ['-h', '127.0.0.1', '-p', String(port), ...command]);
}
