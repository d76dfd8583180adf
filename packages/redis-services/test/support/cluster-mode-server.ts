import { redisCli, startRedis, until } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';

/** Starts one server in cluster mode that serves all slots. Its user `proxy` may not call INFO, as behind some proxies. */
export async function startClusterModeServer(): Promise<Server> {
  const server = await startRedis({ config: ['cluster-enabled yes'] });
  await redisCli(server.port, 'cluster', 'addslotsrange', '0', '16383');
  await until(async () => /cluster_state:ok/.test(await redisCli(server.port, 'cluster', 'info')));
  await redisCli(server.port, 'acl', 'setuser', 'proxy', 'on', '>proxy', '~*', '&*', '+@all', '-info');
  return server;
}

/** Clients of such a server, by name. */
export const clusterModeClients = {
  'a plain client of a server in cluster mode': {},
  'a plain client whose server hides its mode': { username: 'proxy', password: 'proxy', enableReadyCheck: false },
};
