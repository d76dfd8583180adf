import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { RedisArtifactServiceOptions, RedisClient, RedisSessionServiceOptions } from '@thole/redis-services';
import { artifactServiceCases, register, sessionServiceCases } from '@thole/testing';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, startRedisSentinel, until } from '../../../../test/servers/index.ts';
import type { RedisSentinel } from '../../../../test/servers/index.ts';
import { eventOf, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { sentinelClientTo } from '../support/redis-clients.ts';
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

describeWith('redis', 'Services on a Redis that Sentinel watches', () => {
  let servers: RedisSentinel;
  let client: Redis;
  beforeAll(async () => {
    servers = await startRedisSentinel();
    client = sentinelClientTo(servers.addresses, servers.name);
  }, 60_000);
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });

  registerAll('Sentinel', () => client);

  it('goes on after a failover, and has each event that replicas acknowledged, once (contract 7)', async () => {
    const service = new RedisSessionService(client, { timeoutMs: 3_000, wait: { replicas: 1, timeoutMs: 1_000 } });
    await service.createSession(ref);
    const acknowledged: string[] = [];
    const outcomes = new Set<string>();
    let over = false;
    const writing = (async () => {
      for (let n = 0; !over; n++) {
        const event = eventOf(`e${n}`);
        for (let outcome = ''; outcome !== 'done';) {
          outcome = await outcomeOf(service.appendEvent({ session: ref, event }), 3_000);
          outcomes.add(outcome);
        }
        acknowledged.push(event.id);
      }
    })();
    await until(() => acknowledged.length > 10);
    await servers.failOver();
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 10);
    over = true;
    await writing;
    expect(await storedIds(service)).toEqual(acknowledged);
    expect(
      [...outcomes].filter((each) => !['done', 'STORE_OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE'].includes(each)),
    ).toEqual([]);
  });
});
