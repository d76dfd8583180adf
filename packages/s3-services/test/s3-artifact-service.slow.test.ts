import { S3Client } from '@aws-sdk/client-s3';
import type { ArtifactService } from '@thole/core';
import { S3ArtifactService } from '@thole/s3-services';
import { artifactServiceCases, register } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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

  it('names the next step for a missing bucket and for a missing permission', async () => {
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

  describe('without AWS settings', () => {
    beforeEach(() => {
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'AWS_REGION'])
        vi.stubEnv(name, undefined);
      for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nonexistent');
      vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
      return () => vi.unstubAllEnvs();
    });

    it('names the command and the variables for credentials', async () => {
      const service = new S3ArtifactService({ bucket: 'plans', region: 'eu-west-1', endpoint: server.url });
      onTestFinished(() => service.close());
      await expect(service.saveArtifact({ ...file, artifact: { text: 'one' } })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message:
          'AWS credentials are missing. Run `aws configure`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      });
    });

    it.each([undefined, 'eu_west 1'])(
      'names the option and the variable for the region instead of %s',
      async (region) => {
        vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
        vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
        const service = new S3ArtifactService({ bucket: 'plans', region, endpoint: server.url });
        onTestFinished(() => service.close());
        await expect(service.listVersions(file)).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
          retryable: false,
          message: expect.stringContaining('Set the option region, or AWS_REGION'),
        });
      },
    );
  });

  it.each(['us-east-1', 'eu-west-1'])('reports that the bucket is not in %s', async (region) => {
    const client = new S3Client({ region, endpoint: server.url, forcePathStyle: true, credentials });
    onTestFinished(() => client.destroy());
    const service = new S3ArtifactService({ bucket: 'elsewhere', client });
    for (const call of [
      () => service.listVersions(file),
      () => service.saveArtifact({ ...file, artifact: { text: 'one' } }),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message: 'The bucket "elsewhere" is in another region. Set the region of the bucket.',
      });
  });

  describe('when the server fails', () => {
    const save = (bucket: string): Promise<number> =>
      new S3ArtifactService({ bucket, client }).saveArtifact({ ...file, artifact: { text: 'one' } });
    afterEach(() => void (server.failWith = () => undefined));

    it('repeats reads and writes', async () => {
      const statuses = [503, 500];
      server.failWith = (method) => (method === 'PUT' ? statuses.shift() : undefined);
      expect(await save('failing')).toBe(0);
      statuses.push(500, 503);
      server.failWith = () => statuses.shift();
      const service = new S3ArtifactService({ bucket: 'failing', client });
      expect(await service.loadArtifact(file)).toEqual({ text: 'one' });
      expect(statuses).toEqual([]);
      expect([...server.buckets.get('failing')!.keys()]).toEqual(['hotel/ada/s1/plan.txt/0']);
    });

    it('reports a read as retryable after the attempts of the SDK', async () => {
      let attempts = 0;
      server.failWith = () => (attempts++, 503);
      await expect(new S3ArtifactService({ bucket: 'slow', client }).listVersions(file)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
        message: 'S3 failed: SlowDown.',
      });
      expect(attempts).toBe(3);
    });

    it('reports the outcome of a write as unknown', async () => {
      server.failWith = (method) => (method === 'PUT' ? 500 : undefined);
      await expect(save('broken')).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
      expect(server.buckets.get('broken')!.size).toBe(0);
    });
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [{}, { bucket: '' }, { bucket: 'b', bukket: 1 }, { bucket: 'b', client, region: 'x' }])
      expect(() => new S3ArtifactService(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
