import { RedisMemoryStore } from '@thole/redis-services';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { checkMemoryScopes } from '../../../../test/mutants/check-memory-scopes.ts';
import { describeWith, rounds, startRedisCluster } from '../../../../test/servers/index.ts';
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
  checkMemoryScopes('Redis', () => new RedisMemoryStore(client, options()), rounds(400, 1_200));
});

describeWith('redis', 'Memory scopes in a Redis Cluster', () => {
  let servers: RedisCluster;
  let client: Cluster;
  beforeAll(async () => {
    servers = await startRedisCluster();
    client = clusterClientTo(servers.addresses);
  }, 60_000);
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });
  checkMemoryScopes('Redis Cluster', () => new RedisMemoryStore(client, options()), rounds(400, 1_200));
});
