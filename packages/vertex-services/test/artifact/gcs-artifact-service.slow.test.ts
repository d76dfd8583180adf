import type { ArtifactService } from '@thole/core';
import { artifactServiceCases, FixedRuntime, register } from '@thole/testing';
import { GcsArtifactService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

let buckets = 0;
const file = { appName: 'hotel', userId: 'ada', sessionId: 's1', filename: 'plan.txt' };

describe('GcsArtifactService', () => {
  const bucketOf = new WeakMap<ArtifactService, string>();
  const create = (runtime: FixedRuntime, bucket: string): ArtifactService => {
    const service = new GcsArtifactService({ bucket, ...server.options, runtime, maxBytes: 65_536 });
    bucketOf.set(service, bucket);
    return service;
  };
  register({ describe, it }, artifactServiceCases, {
    name: 'artifacts',
    claims: ['durable'],
    create: (runtime) => create(runtime, `suite-${++buckets}`),
    reopen: (service, runtime) => create(runtime, bucketOf.get(service)!),
  });

  it('stores one object per version under the names of ADK', async () => {
    const service = new GcsArtifactService({ bucket: 'layout', prefix: 'files/', ...server.options });
    await service.saveArtifact({ ...file, artifact: { text: 'one' } });
    await service.saveArtifact({ ...file, artifact: { text: 'two' } });
    await service.saveArtifact({ ...file, filename: 'user:me.png', artifact: { text: 'me' } });
    expect(server.storage.namesIn('layout')).toEqual([
      'files/hotel/ada/s1/plan.txt/0',
      'files/hotel/ada/s1/plan.txt/1',
      'files/hotel/ada/user/me.png/0',
    ]);
  });

  it('reads a version that another program stored as a file with its content type', async () => {
    server.storage.put('foreign', { name: 'hotel/ada/s1/plan.txt/0', contentType: 'text/plain', text: 'Hello' });
    const service = new GcsArtifactService({ bucket: 'foreign', ...server.options });
    expect(await service.loadArtifact(file)).toEqual({ inlineData: { mimeType: 'text/plain', data: 'SGVsbG8=' } });
  });

  it('reads texts, addresses of files, names and metadata that ADK has stored', async () => {
    const contentType = 'text/plain';
    const base = 'hotel/ada/s1/plan.txt/';
    const fileUri = 'gs://media/plan.pdf';
    for (const [i, metadata] of [
      { adkIsText: 'true', room: '7' },
      { adkFileUri: fileUri, adkFileMimeType: 'application/pdf' },
      { adkDisplayName: 'Plan' },
    ].entries())
      server.storage.put('adk', { name: `${base}${i}`, contentType, metadata, text: i === 1 ? '' : 'Hello' });
    const service = new GcsArtifactService({ bucket: 'adk', ...server.options });
    const load = (version: number): Promise<unknown> => service.loadArtifact({ ...file, version });
    expect(await load(0)).toEqual({ text: 'Hello' });
    expect((await service.getArtifactVersion({ ...file, version: 0 }))?.customMetadata).toEqual({ room: '7' });
    expect(await load(1)).toEqual({ fileData: { fileUri, mimeType: 'application/pdf' } });
    expect(await load(2)).toEqual({ inlineData: { mimeType: contentType, data: 'SGVsbG8=', displayName: 'Plan' } });
  });

  it('stores long metadata in a separate object and deletes it with its version', async () => {
    const service = new GcsArtifactService({ bucket: 'long-meta', ...server.options });
    const customMetadata = { notes: 'é'.repeat(20_000) };
    await service.saveArtifact({ ...file, artifact: { text: 'one' }, customMetadata });
    expect((await service.getArtifactVersion(file))?.customMetadata).toEqual(customMetadata);
    expect(server.storage.namesIn('long-meta')).toHaveLength(2);
    await service.deleteArtifact(file);
    expect(server.storage.namesIn('long-meta')).toEqual(['hotel/ada/s1/plan.txt/deleted-0']);
  });

  it('stores a file once if the answer to its upload is lost', async () => {
    const service = new GcsArtifactService({ bucket: 'lost', ...server.options });
    server.faults.push({ on: 'POST /upload/storage', afterWork: true, answer: 'cut' });
    expect(await service.saveArtifact({ ...file, artifact: { text: 'one' } })).toBe(0);
    expect(server.storage.namesIn('lost')).toEqual(['hotel/ada/s1/plan.txt/0']);
  });

  it('repeats an upload after a 503, and stores the file once', async () => {
    const runtime = new FixedRuntime();
    const service = new GcsArtifactService({ bucket: 'busy', ...server.options, runtime, timeoutMs: 600_000 });
    const busy = { status: 503, json: { error: { code: 503, message: 'Try later.' } } };
    server.faults.push({ on: 'POST /upload/storage', answer: busy });
    expect(await passTime(runtime, service.saveArtifact({ ...file, artifact: { text: 'one' } }))).toBe(0);
    server.faults.push({ on: 'POST /upload/storage', afterWork: true, answer: busy });
    expect(await passTime(runtime, service.saveArtifact({ ...file, artifact: { text: 'two' } }))).toBe(1);
    expect(server.storage.namesIn('busy')).toEqual(['hotel/ada/s1/plan.txt/0', 'hotel/ada/s1/plan.txt/1']);
  });

  it('removes no version if the marker of the deletion is not stored', async () => {
    const service = new GcsArtifactService({ bucket: 'unmarked', ...server.options, maxAttempts: 1 });
    await service.saveArtifact({ ...file, artifact: { text: 'one' } });
    server.faults.push({ on: 'POST /upload/storage', answer: 'cut' });
    await expect(service.deleteArtifact(file)).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
    expect(await service.loadArtifact(file)).toEqual({ text: 'one' });
    await service.deleteArtifact(file);
    expect(await service.saveArtifact({ ...file, artifact: { text: 'two' } })).toBe(1);
  });

  it('names a bucket that does not exist', async () => {
    const service = new GcsArtifactService({ bucket: 'missing-one', ...server.options });
    await expect(service.saveArtifact({ ...file, artifact: { text: 'one' } })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: 'The bucket "missing-one" does not exist. Create it, or check the name.',
    });
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [
      {},
      { bucket: '' },
      { bucket: 'Upper' },
      { bucket: 'b1', bukket: 1 },
      { bucket: 'b1', baseUrl: 'ftp://x' },
    ])
      expect(() => new GcsArtifactService(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
