import { createEvent } from '@thole/core';
import type { LeaseRequest } from '@thole/core';
import { RedisSessionService } from '@thole/redis-services';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const request: LeaseRequest = {
  ...{ invocationId: 'i1', holder: 'runner', waitMs: 1_000, maxWaiting: 1, ttlMs: 60_000, cleanupMs: 1_000 },
  policy: 'reject',
};

describeWith('redis', 'RedisLeasing', (url) => {
  it.runIf(process.platform === 'linux')(
    'gives a lease whose process has ended to the next run; the fence keeps the first one out (contract 13)',
    async () => {
      const client = clientTo(url);
      onTestFinished(() => client.disconnect());
      const keyPrefix = `lease-processes/${process.pid}/`;
      const service = new RedisSessionService(client, { keyPrefix });
      await service.createSession(ref);
      const first = await service.leasing!.lease(ref, request);
      const next = { ...request, invocationId: 'i2' };
      await expect(service.leasing!.lease(ref, next)).rejects.toMatchObject({ code: 'SESSION_BUSY' });

      // As if the process with this id had started at another time.
      const lease = `${keyPrefix}{app|u}:r:s`;
      const name = (await client.hget(lease, 'proc')) as string;
      await client.hset(lease, 'proc', name.replace(/\d+$/, '1'));

      const second = await service.leasing!.lease(ref, next);
      expect(await service.leasing!.current(ref)).toMatchObject({ invocationId: 'i2', holder: 'runner' });
      const append = (fence: string): Promise<unknown> =>
        service.appendEvent({ session: ref, event: createEvent({ author: 'a', invocationId: 'i' }), fence });
      await expect(append(first.fence)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await append(second.fence);
      await second.release();
    },
  );
});
