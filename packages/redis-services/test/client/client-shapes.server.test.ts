import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { RedisArtifactServiceOptions, RedisClient, RedisSessionServiceOptions } from '@thole/redis-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import { afterAll, describe, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';
import { artifactSubjects, expiringSubjects, expiryCases, sessionSubjects } from '../support/subjects.ts';

const registerAll = (name: string, clientOf: () => RedisClient): void => {
  const sessions = (options: RedisSessionServiceOptions): RedisSessionService =>
    new RedisSessionService(clientOf(), options);
  const files = (options: RedisArtifactServiceOptions): RedisArtifactService =>
    new RedisArtifactService(clientOf(), options);
  register({ describe, it }, sessionServiceCases, sessionSubjects(name, sessions));
  register({ describe, it }, expiryCases, expiringSubjects(name, sessions));
  register({ describe, it }, artifactServiceCases, artifactSubjects(name, files));
};

describeWith('redis', 'Services on one Redis', (url) => {
  const clients = {
    'a client as it comes (RESP3)': clientTo(url),
    RESP2: clientTo(url, { protocol: 2 }),
    'RESP3 in its own shapes': clientTo(url, { replyMapping: 'resp3' }),
    'a client with a keyPrefix': clientTo(url, { keyPrefix: 'client:' }),
    'a client with enableAutoPipelining': clientTo(url, { enableAutoPipelining: true }),
    'a client with stringNumbers': clientTo(url, { stringNumbers: true }),
  };
  afterAll(() => Promise.all(Object.values(clients).map((client) => client.quit())));
  for (const [name, client] of Object.entries(clients)) {
    registerAll(name, () => client);
  }
});
