import { createEvent } from '@thole/core';
import { RedisSessionService } from '@thole/redis-services';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { leaseRequest, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const request = leaseRequest('i1', { holder: 'runner', policy: 'reject' });

describeWith('redis', 'Lease of a dead process', (url) => {
  it.runIf(process.platform === 'linux')(
    'is granted to the next run at once, and its old fence is rejected (contract 13)',
    async () => {
      const client = clientTo(url);
      onTestFinished(() => client.disconnect());
      const keyPrefix = `lease-processes/${process.pid}/`;
      const service = new RedisSessionService(client, { keyPrefix });
      await service.createSession(ref);
      const first = await service.leasing!.lease(ref, request);
      const next = { ...request, invocationId: 'i2' };
      await expect(service.leasing!.lease(ref, next)).rejects.toMatchObject({ code: 'SESSION_BUSY' });

      // Simulates that another process has this process id now.
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
