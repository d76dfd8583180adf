import type { RedisClient } from '@thole/redis-services';
import { afterAll, beforeAll } from 'vitest';
import { describeWith, startRedisCluster } from '../../../../test/servers/index.ts';
import type { RedisCluster } from '../../../../test/servers/index.ts';
import { clientShapes, clusterClientShapes } from '../support/client-shapes.ts';
import { clientTo, clusterClientTo } from '../support/redis-clients.ts';
import { registerSmokeSeries } from '../support/smoke-series.ts';

describeWith('redis', 'Client options on one Redis', (url) => {
  const clients: RedisClient[] = [];
  afterAll(() => clients.forEach((client) => client.disconnect()));
  for (const [name, options] of Object.entries(clientShapes)) {
    const client = clientTo(url, options);
    clients.push(client);
    registerSmokeSeries(name, () => client);
  }
});

describeWith('redis', 'Client options on a Redis Cluster', () => {
  let servers: RedisCluster;
  const clients: RedisClient[] = [];
  const shapes = Object.entries(clusterClientShapes);
  beforeAll(async () => {
    servers = await startRedisCluster();
    for (const [, options] of shapes) clients.push(clusterClientTo(servers.addresses, options));
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await servers?.remove();
  });
  for (const [i, [name]] of shapes.entries()) registerSmokeSeries(name, () => clients[i]!);
});
