import { RedisMemoryService, RedisMemoryStore } from '@thole/redis-services';
import type { RedisClient, RedisOptions } from '@thole/redis-services';
import { memoryServiceCases, memoryStoreCases, register } from '@thole/testing';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeWith, startRedisCluster } from '../../../test/servers/index.ts';
import type { RedisCluster } from '../../../test/servers/index.ts';
import { clientTo, clusterClientTo } from './support/redis-clients.ts';
import { memoryStoreSubjects, memorySubjects } from './support/subjects.ts';

const registerAll = (name: string, clientOf: () => RedisClient): void => {
  const stores = (options: RedisOptions): RedisMemoryStore => new RedisMemoryStore(clientOf(), options);
  const services = (options: RedisOptions): RedisMemoryService => new RedisMemoryService(clientOf(), options);
  register({ describe, it }, memoryStoreCases, memoryStoreSubjects(name, stores));
  register({ describe, it }, memoryServiceCases, memorySubjects(name, services));
};

describeWith('redis', 'Memory on one Redis', (url) => {
  const clients = {
    'a client as it comes (RESP3)': clientTo(url),
    RESP2: clientTo(url, { protocol: 2 }),
    'RESP3 in its own shapes': clientTo(url, { replyMapping: 'resp3' }),
    'a client with a keyPrefix': clientTo(url, { keyPrefix: 'client:' }),
    'a client with enableAutoPipelining': clientTo(url, { enableAutoPipelining: true }),
    'a client with stringNumbers': clientTo(url, { stringNumbers: true }),
  };
  afterAll(() => Promise.all(Object.values(clients).map((client) => client.quit())));
  for (const [name, client] of Object.entries(clients)) registerAll(name, () => client);
});

describeWith('redis', 'Memory on a Redis Cluster of three masters', () => {
  let servers: RedisCluster;
  let clients: Cluster[];
  beforeAll(async () => {
    servers = await startRedisCluster();
    clients = [
      clusterClientTo(servers.addresses),
      clusterClientTo(servers.addresses, {
        enableAutoPipelining: true,
        redisOptions: { keyPrefix: 'client:', protocol: 2 },
      }),
    ];
  }, 60_000);
  afterAll(async () => {
    for (const client of clients ?? []) client.disconnect();
    await servers?.remove();
  });

  for (const [i, name] of ['Cluster', 'Cluster, pipelining by itself, with a keyPrefix, RESP2'].entries()) {
    registerAll(name, () => clients[i]!);
  }
});
