import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { RedisArtifactServiceOptions, RedisClient, RedisSessionServiceOptions } from '@thole/redis-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeWith, startRedisCluster } from '../../../test/servers/index.ts';
import type { RedisCluster } from '../../../test/servers/index.ts';
import { clusterClientTo } from './support/redis-clients.ts';
import { artifactSubjects, expiringSubjects, expiryCases, sessionSubjects } from './support/subjects.ts';

const registerAll = (name: string, clientOf: () => RedisClient): void => {
  const sessions = (options: RedisSessionServiceOptions): RedisSessionService =>
    new RedisSessionService(clientOf(), options);
  const files = (options: RedisArtifactServiceOptions): RedisArtifactService =>
    new RedisArtifactService(clientOf(), options);
  register({ describe, it }, sessionServiceCases, sessionSubjects(name, sessions));
  register({ describe, it }, expiryCases, expiringSubjects(name, sessions));
  register({ describe, it }, artifactServiceCases, artifactSubjects(name, files));
};

describeWith('redis', 'Services on a Redis Cluster of three masters', () => {
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
