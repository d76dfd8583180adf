import { RedisMemoryStore } from '@thole/redis-services';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { catchScopeMutants, compareWithMemory } from '../../../../test/mutants/check-memory-scopes.ts';
import { describeWith, isLong, rounds, startRedisCluster } from '../../../../test/servers/index.ts';
import type { RedisCluster } from '../../../../test/servers/index.ts';
import { clientTo, clusterClientTo } from '../support/redis-clients.ts';

let count = 0;
const options = (): { keyPrefix: string; timeoutMs: number } => ({
  keyPrefix: `scopes/${process.pid}/${count++}/`,
  timeoutMs: 300_000,
});

describeWith('redis', 'Memory scopes in Redis', (url) => {
  const client = clientTo(url);
  afterAll(() => client.quit());
  const createStore = (): RedisMemoryStore => new RedisMemoryStore(client, options());
  compareWithMemory('Redis', createStore, rounds(400, 1_200));
  if (isLong) catchScopeMutants('Redis', createStore, 1_200);
});

describeWith('redis', 'Memory scopes in a Redis Cluster', () => {
  let servers: RedisCluster;
  let client: Cluster;
  beforeAll(async () => {
    servers = await startRedisCluster();
    client = clusterClientTo(servers.addresses);
  });
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });
  const createStore = (): RedisMemoryStore => new RedisMemoryStore(client, options());
  compareWithMemory('Redis Cluster', createStore, rounds(400, 1_200));
  if (isLong) catchScopeMutants('Redis Cluster', createStore, 1_200);
});
