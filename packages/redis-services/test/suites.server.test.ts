import {
  RedisArtifactService,
  RedisCredentialService,
  RedisMemoryService,
  RedisMemoryStore,
  RedisSessionService,
  RedisSessionStore,
} from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import {
  artifactServiceCases,
  credentialServiceCases,
  leaseStoreCases,
  memoryServiceCases,
  memoryStoreCases,
  register,
  sessionServiceCases,
  sessionStoreCases,
} from '@thole/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeWith, isLong, startRedisCluster, startRedisSentinel } from '../../../test/servers/index.ts';
import { clientShapes, clusterClientShapes } from './support/client-shapes.ts';
import { clusterModeClients, startClusterModeServer } from './support/cluster-mode-server.ts';
import { clientTo, clusterClientTo, sentinelClientTo } from './support/redis-clients.ts';
import {
  artifactSubjects,
  credentialSubjects,
  expiringSubjects,
  expiryCases,
  memoryStoreSubjects,
  memorySubjects,
  sessionStoreSubjects,
  sessionSubjects,
} from './support/subjects.ts';

// `npm test` runs the suites with a default client on one server and on a Cluster. The other kinds of clients run in `test:long`; in
// `npm test` the series of client-shapes.server.test.ts covers them.
describeWith('redis', 'Suites on one Redis', (url) => {
  registerAll(
    Object.entries({ 'default client': {}, ...(isLong ? clientShapes : {}) }),
    async () => ({ remove: async () => {} }),
    (_, options) => clientTo(url, options),
  );
});

describeWith('redis', 'Suites on a Redis Cluster of three masters', () => {
  registerAll(
    Object.entries({ Cluster: {}, ...(isLong ? clusterClientShapes : {}) }),
    () => startRedisCluster(),
    (servers, options) => clusterClientTo(servers.addresses, options),
  );
});

if (isLong) {
  describeWith('redis', 'Suites on a Redis with Sentinel', () => {
    registerAll(
      [['Sentinel', {}]],
      () => startRedisSentinel(),
      (servers) => sentinelClientTo(servers.addresses, servers.name),
    );
  });

  describeWith('redis', 'Suites on one Redis in cluster mode', () => {
    registerAll(Object.entries(clusterModeClients), startClusterModeServer, (server, options) =>
      clientTo(server.url, options),
    );
  });
}

/** Ranking is the same code over every store, and stores return texts unchanged (`put.members`). */
const isRanking = ({ id }: { id: string }): boolean => id.startsWith('language.');

/** Registers all suites for each client. */
function registerAll<S extends { remove(): Promise<void> }, O>(
  shapes: readonly (readonly [string, O])[],
  start: () => Promise<S>,
  connect: (servers: S, options: O) => RedisClient,
): void {
  const clients: RedisClient[] = [];
  let servers: S | undefined;
  beforeAll(async () => {
    servers = await start();
    for (const [, options] of shapes) clients.push(connect(servers, options));
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await servers?.remove();
  });
  for (const [i, [name]] of shapes.entries()) {
    const sessions = sessionSubjects(name, (options) => new RedisSessionService(clients[i]!, options));
    const expiring = expiringSubjects(name, (options) => new RedisSessionService(clients[i]!, options));
    const sessionStores = sessionStoreSubjects(name, (options) => new RedisSessionStore(clients[i]!, options));
    const artifacts = artifactSubjects(name, (options) => new RedisArtifactService(clients[i]!, options));
    const credentials = credentialSubjects(name, (options) => new RedisCredentialService(clients[i]!, options));
    const memoryStores = memoryStoreSubjects(name, (options) => new RedisMemoryStore(clients[i]!, options));
    const memories = memorySubjects(name, (options) => new RedisMemoryService(clients[i]!, options));
    register({ describe, it }, sessionServiceCases, sessions);
    register({ describe, it }, expiryCases, expiring);
    register({ describe, it }, [...leaseStoreCases, ...sessionStoreCases], sessionStores);
    register({ describe, it }, artifactServiceCases, artifacts);
    register({ describe, it }, credentialServiceCases, credentials);
    register({ describe, it }, memoryStoreCases, memoryStores);
    register(
      { describe, it },
      memoryServiceCases.filter((each) => isLong || !isRanking(each)),
      memories,
    );
  }
}
