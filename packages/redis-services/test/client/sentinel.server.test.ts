import { RedisSessionService } from '@thole/redis-services';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, startRedisSentinel, until } from '../../../../test/servers/index.ts';
import type { RedisSentinel } from '../../../../test/servers/index.ts';
import { eventOf, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { sentinelClientTo } from '../support/redis-clients.ts';
import { registerSmokeSeries } from '../support/smoke-series.ts';

describeWith('redis', 'A client of Sentinel', () => {
  let servers: RedisSentinel;
  let client: Redis;
  beforeAll(async () => {
    servers = await startRedisSentinel();
    client = sentinelClientTo(servers.addresses, servers.name);
  });
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });

  registerSmokeSeries('Sentinel', () => client);

  it('keeps each event that replicas confirmed, once, after a failover (contract 7)', async () => {
    const service = new RedisSessionService(client, { timeoutMs: 3_000, wait: { replicas: 1, timeoutMs: 1_000 } });
    await service.createSession(ref);
    const acknowledged: string[] = [];
    const outcomes = new Set<string>();
    let isDone = false;
    const writing = (async () => {
      for (let n = 0; !isDone; n++) {
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
    isDone = true;
    await writing;
    expect(await storedIds(service)).toEqual(acknowledged);
    const expected = ['done', 'STORE_OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE'];
    expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([]);
  });
});
