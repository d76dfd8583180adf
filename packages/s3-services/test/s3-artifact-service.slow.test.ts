import { S3Client } from '@aws-sdk/client-s3';
import type { ArtifactService } from '@thole/core';
import { S3ArtifactService } from '@thole/s3-services';
import { artifactServiceCases, register } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Server } from './s3-server.ts';

const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
const file = { appName: 'hotel', userId: 'ada', sessionId: 's1', filename: 'plan.txt' };

let server: S3Server;
let client: S3Client;
beforeAll(async () => {
  server = await S3Server.start();
  client = new S3Client({ region: 'eu-west-1', endpoint: server.url, forcePathStyle: true, credentials });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

let buckets = 0;

describe('S3ArtifactService', () => {
  const bucketOf = new WeakMap<ArtifactService, string>();
  const create = (runtime: FixedRuntime, bucket: string): ArtifactService => {
    const service = new S3ArtifactService({ bucket, client, runtime, maxBytes: 65_536 });
    bucketOf.set(service, bucket);
    return service;
  };
  register({ describe, it }, artifactServiceCases, {
    name: 'artifacts',
    claims: ['durable'],
    create: (runtime) => create(runtime, `suite-${++buckets}`),
    reopen: (service, runtime) => create(runtime, bucketOf.get(service)!),
  });

  it('stores a file once if the answer to its upload is lost', async () => {
    const service = new S3ArtifactService({ bucket: 'lost', client });
    server.cuts = 1;
    expect(await service.saveArtifact({ ...file, artifact: { text: 'one' } })).toBe(0);
    expect([...server.buckets.get('lost')!.keys()]).toEqual(['hotel/ada/s1/plan.txt/0']);
  });

  it('says what to do for a missing bucket and for missing permission', async () => {
    const messages = ['missing-one', 'denied-one'].map(async (bucket) =>
      new S3ArtifactService({ bucket, client }).listVersions(file).catch((error: unknown) => error),
    );
    expect(await Promise.all(messages)).toMatchObject([
      {
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message: 'The bucket "missing-one" does not exist. Create it, or check the name.',
      },
      { code: 'STORE_UNAVAILABLE', retryable: false, message: expect.stringContaining('allow s3:GetObject') },
    ]);
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [{}, { bucket: '' }, { bucket: 'b', bukket: 1 }, { bucket: 'b', client, region: 'x' }])
      expect(() => new S3ArtifactService(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
