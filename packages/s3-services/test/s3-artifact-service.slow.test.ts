import { inspect } from 'node:util';
import { S3Client } from '@aws-sdk/client-s3';
import type { ArtifactService } from '@thole/core';
import { S3ArtifactService } from '@thole/s3-services';
import { artifactServiceCases, register } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createS3Client } from '../src/create-s3-client.ts';
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

  it('removes the files that a failed deletion has left when it is called again', async () => {
    const service = new S3ArtifactService({ bucket: 'half', client });
    for (const text of ['one', 'two', 'three']) await service.saveArtifact({ ...file, artifact: { text } });
    let deletions = 0;
    server.failWith = (method) => (method === 'DELETE' && ++deletions > 1 ? 403 : undefined);
    await expect(service.deleteArtifact(file)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    server.failWith = () => undefined;
    expect(await service.listVersions(file)).toEqual([]);
    await service.deleteArtifact(file);
    expect([...server.buckets.get('half')!.keys()]).toEqual(['hotel/ada/s1/plan.txt/deleted-2']);
    expect(await service.saveArtifact({ ...file, artifact: { text: 'four' } })).toBe(3);
  });

  it('throws STORE_VERSION for damaged metadata, without a part of it', async () => {
    const service = new S3ArtifactService({ bucket: 'damaged', client });
    await service.saveArtifact({ ...file, artifact: { text: 'one' } });
    server.buckets.get('damaged')!.get('hotel/ada/s1/plan.txt/0')!.metadata['thole-meta'] = '{"secret';
    const error: unknown = await service.loadArtifact(file).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'STORE_VERSION' });
    expect(inspect(error)).not.toContain('secret');
  });

  it.each(['ж'.repeat(256), '漢'.repeat(170), '\u0001'.repeat(512)])(
    'stores long names and metadata within the 2 KB of S3 (%#)',
    async (filename) => {
      const service = new S3ArtifactService({ bucket: 'long-names', client });
      const inlineData = { mimeType: 'text/plain', data: 'aGk=', displayName: 'd'.repeat(900) };
      await service.saveArtifact({ ...file, filename, artifact: { inlineData } });
      expect(await service.loadArtifact({ ...file, filename })).toEqual({ inlineData });
      expect(await service.listArtifactKeys(file)).toContain(filename);
    },
  );

  it('keeps the metadata of a file that is saved while it is deleted', async () => {
    const service = new S3ArtifactService({ bucket: 'while-deleted', client });
    const customMetadata = { notes: 'é'.repeat(1_000) };
    await service.saveArtifact({ ...file, artifact: { text: 'one' } });
    const base = '/while-deleted/hotel/ada/s1/plan.txt/';
    let deleting: Promise<void> | undefined;
    let release: (() => void) | undefined;
    server.beforeAnswer = async (request) => {
      // The deletion begins after the second version was stored. It waits before it reads this version, until the save
      // has its next number.
      if (request.method === 'PUT' && request.url!.startsWith(`${base}1`) && !deleting) {
        deleting = service.deleteArtifact(file);
        await expect.poll(() => release).toBeDefined();
      }
      if (request.method === 'GET' && request.url!.startsWith(`${base}1`) && !release)
        await new Promise<void>((resolve) => (release = resolve));
      if (request.method === 'PUT' && request.url!.startsWith(`${base}2`)) release?.();
    };
    onTestFinished(() => void (server.beforeAnswer = async () => {}));
    const version = await service.saveArtifact({ ...file, artifact: { text: 'two' }, customMetadata });
    await deleting;
    expect((await service.getArtifactVersion({ ...file, version }))?.customMetadata).toEqual(customMetadata);
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
        message: `S3 at ${new URL(server.url).host} failed: SlowDown.`,
      });
      expect(attempts).toBe(3);
    });

    it('reports the outcome of a write as unknown', async () => {
      server.failWith = (method) => (method === 'PUT' ? 500 : undefined);
      await expect(save('broken')).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
      expect(server.buckets.get('broken')!.size).toBe(0);
    });
  });

  describe('with an unusual server', () => {
    const answer =
      (status: number, body: string, only?: string): S3Server['intercept'] =>
      (request, response) => {
        if (only !== undefined && request.method !== only) return false;
        response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
        return true;
      };
    const errorBody = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
    const save = (): Promise<number> =>
      new S3ArtifactService({ bucket: 'unusual', client }).saveArtifact({ ...file, artifact: { text: 'one' } });
    afterEach(() => void (server.intercept = () => false));

    it('ends the wait for a server that sends nothing, before and within an answer', async () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
      const impatient = createS3Client({ region: 'eu-west-1', endpoint: server.url }, 100);
      onTestFinished(() => {
        impatient.destroy();
        vi.unstubAllEnvs();
      });
      const service = new S3ArtifactService({ bucket: 'silent', client: impatient });
      await service.saveArtifact({ ...file, artifact: { text: 'one' } });
      const message = `S3 at ${new URL(server.url).host} failed: TimeoutError.`;
      const expected = { code: 'STORE_UNAVAILABLE', retryable: true, message };
      server.intercept = (request, response) => {
        if (request.url!.includes('list-type')) return false;
        response.writeHead(200, { 'content-length': '100' }).write('o');
        return true;
      };
      await expect(service.loadArtifact(file)).rejects.toMatchObject(expected);
      server.intercept = () => true;
      await expect(service.ping()).rejects.toMatchObject(expected);
    });

    it('does not read a list forever if the server repeats a page', async () => {
      server.intercept = answer(
        200,
        '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken></ListBucketResult>',
      );
      await expect(new S3ArtifactService({ bucket: 'unusual', client }).listVersions(file)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: 'S3 returned the same page of a list again.',
      });
    });

    it('rejects a web page instead of a list in ping, such as the console of MinIO', async () => {
      server.intercept = answer(200, '<html><body>Console</body></html>');
      await expect(new S3ArtifactService({ bucket: 'unusual', client }).ping()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message: expect.stringContaining('Check that endpoint is the address of the S3 API.'),
      });
    });

    it.each([
      [400, 'ExpiredToken', 'The AWS credentials have expired.'],
      [403, 'RequestTimeTooSkewed', 'Set the clock of this computer.'],
      [400, 'InvalidBucketName', 'S3 does not accept "unusual" as the name of a bucket.'],
      [501, 'NotImplemented', 'conditional writes (If-None-Match)'],
      [302, 'Found', 'S3 answered with the redirect 302. Check endpoint.'],
    ])('names the next step for status %i %s of a save', async (status, code, words) => {
      server.intercept = answer(status, errorBody(code), 'PUT');
      await expect(save()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message: expect.stringContaining(words),
      });
    });

    it('names the next step for an expired SSO session', async () => {
      const expired = Object.assign(new Error('The SSO session of this profile has expired.'), {
        name: 'CredentialsProviderError',
      });
      const signedOut = new S3Client({
        ...{ region: 'eu-west-1', endpoint: server.url, forcePathStyle: true },
        credentials: () => Promise.reject(expired),
      });
      onTestFinished(() => signedOut.destroy());
      await expect(new S3ArtifactService({ bucket: 'unusual', client: signedOut }).ping()).rejects.toMatchObject({
        retryable: false,
        message: expect.stringContaining('The AWS credentials have expired. Sign in again'),
      });
    });

    it('keeps the signed request, which S3 returns after a wrong signature, out of the error', async () => {
      const details = '<CanonicalRequest>x-amz-security-token:the-token</CanonicalRequest>';
      server.intercept = answer(
        403,
        `<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message>${details}</Error>`,
      );
      const error = await save().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ cause: { name: 'SignatureDoesNotMatch', $metadata: { httpStatusCode: 403 } } });
      expect(inspect(error, { depth: 9 })).not.toContain('the-token');
    });

    it('names the reason if the server cannot be reached', async () => {
      const gone = await S3Server.start();
      const endpoint = gone.url;
      await gone.close();
      const unreachable = new S3Client({ region: 'eu-west-1', endpoint, forcePathStyle: true, credentials });
      onTestFinished(() => unreachable.destroy());
      const service = new S3ArtifactService({ bucket: 'unusual', client: unreachable });
      await expect(service.listVersions(file)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
        message: `S3 at ${new URL(endpoint).host} failed: ECONNREFUSED.`,
      });
    });
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [
      {},
      { bucket: '' },
      { bucket: 'b', bukket: 1 },
      { bucket: 'b', client, region: 'x' },
      { bucket: 'b', region: '' },
      { bucket: 'b', endpoint: '' },
      { bucket: 'b', endpoint: 'localhost:9000' },
    ])
      expect(() => new S3ArtifactService(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('rejects an endpoint with a password, without the password in the message', () => {
    const create = (): unknown =>
      new S3ArtifactService({ bucket: 'b', endpoint: 'http://user:hunter2@127.0.0.1:9000' });
    expect(create).toThrow(/^endpoint must be a URL without user name and password\. Set AWS_ACCESS_KEY_ID/);
    expect(create).not.toThrow(/hunter2/);
  });
});
