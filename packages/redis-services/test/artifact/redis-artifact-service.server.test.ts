import { RedisArtifactService, RedisArtifactStore } from '@thole/redis-services';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';

describeWith('redis', 'RedisArtifactService', (url) => {
  it('resolves ping if the server answers, and throws STORE_UNAVAILABLE if it does not', async () => {
    const client = clientTo(url);
    const pinged = [RedisArtifactService, RedisArtifactStore].map((Class) => new Class(client, { timeoutMs: 1_000 }));
    for (const each of pinged) await each.ping();
    client.disconnect();
    for (const each of pinged) await expect(each.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
