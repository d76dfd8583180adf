import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { describeWith, redisCli, startMariaDb, startPostgres, startRedis, until } from './index.ts';
import { startPgBouncer, startRedisCluster, startRedisSentinel } from './index.ts';
import type { Server } from './index.ts';
import { isAlive } from './process-tree.ts';

const starts = [
  ['redis', () => startRedis({ config: ['appendonly yes', 'appendfsync always'] })],
  ['postgres', startPostgres],
  ['pgbouncer', () => startPgBouncer({ postgresUrl: inject('servers').postgres! })],
  ['mariadb', startMariaDb],
] as const;

for (const [kind, start] of starts) {
  describeWith(kind, `a separate ${kind}`, (shared) => {
    it('is not the shared server, can be restarted after a stop and a kill, and can be removed', async () => {
      const server = await started(start());
      expect(server.url).not.toBe(shared);
      expect(inject('servers')[kind]).toBe(shared);
      const { port, pid } = server;
      await server.stop();
      expect(isAlive(pid!)).toBe(false);
      await server.restart();
      expect(isAlive(server.pid!)).toBe(true);
      await server.kill();
      expect(server.pid).toBeUndefined();
      await server.restart();
      expect(server.port).toBe(port);
      expect(isAlive(server.pid!)).toBe(true);
      await server.remove();
      expect(existsSync(server.folder)).toBe(false);
    });

    it('ends with the process that started it, also when that process is killed', async () => {
      const args = [join(import.meta.dirname, 'start-and-wait.ts'), kind, inject('servers').postgres ?? ''];
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { pid, folder } = JSON.parse(String(line)) as { pid: number; folder: string };
      expect(isAlive(pid)).toBe(true);
      child.kill('SIGKILL');
      await until(() => !isAlive(pid) && !existsSync(folder));
    });
  });
}

describeWith('redis', 'startRedis, startRedisCluster and startRedisSentinel', () => {
  it('start a server that answers nothing while it is paused, and pending requests afterwards', async () => {
    const server = await started(startRedis());
    await server.pause();
    let answered = false;
    const answer = redisCli(server.port, 'ping').finally(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answered).toBe(false);
    await server.resume();
    expect(await answer).toBe('PONG\n');
  });

  it('throw the output of a server that does not start', async () => {
    await expect(startRedis({ config: ['no-such-setting 1'] })).rejects.toThrow(/no-such-setting/);
  });

  it('start a cluster that serves every slot, with the given number of replicas', async () => {
    const cluster = await startRedisCluster({ replicas: 1 });
    onTestFinished(() => cluster.remove());
    expect(cluster.nodes).toHaveLength(6);
    expect(await redisCli(cluster.nodes[0]!.port, '-c', 'set', 'name', 'value')).toBe('OK\n');
    expect(await redisCli(cluster.nodes[1]!.port, '-c', 'get', 'name')).toBe('value\n');
  });

  it('exchange primary and replica with failOver', async () => {
    const sentinels = await startRedisSentinel();
    onTestFinished(() => sentinels.remove());
    expect(await sentinels.primaryPort()).toBe(sentinels.primary.port);
    await sentinels.failOver();
    expect(await sentinels.primaryPort()).toBe(sentinels.replica.port);
  });

  it('replace a dead primary by its replica if two of three sentinels agree', async () => {
    const sentinels = await startRedisSentinel({ sentinels: 3 });
    onTestFinished(() => sentinels.remove());
    await sentinels.primary.kill();
    const everyMs = 100;
    await until(async () => (await sentinels.primaryPort()) === sentinels.replica.port, { everyMs });
    const role = () => redisCli(sentinels.replica.port, 'info', 'replication');
    await until(async () => /role:master/.test(await role()), { everyMs });
  });
});

async function started(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  onTestFinished(() => server.remove());
  return server;
}
