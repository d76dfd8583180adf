import { createEvent, systemRuntime } from '@thole/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GoogleServer } from '../../../vertex-services/test/google-server/google-server.ts';
import { S3Server } from '../../../s3-services/test/s3-server.ts';
import type { ServiceOptions } from '../../src/options/service-options.ts';
import { openServices } from '../../src/services/open-services.ts';
import type { Services } from '../../src/services/open-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const runtime = systemRuntime();
const user = { appName: 'assistant', userId: 'ada' };
const file = { ...user, sessionId: 's1', filename: 'plan.txt' };
const project = 'projects/hotel/locations/us-central1';

let google: GoogleServer;
let s3: S3Server;
beforeAll(async () => {
  [google, s3] = await Promise.all([GoogleServer.start(), S3Server.start()]);
  google.isEmulator = true;
  // As on a machine in Google Cloud: credentials come from the metadata server.
  const env = {
    GOOGLE_CLOUD_PROJECT: 'hotel',
    GOOGLE_CLOUD_LOCATION: 'us-central1',
    GOOGLE_VERTEX_BASE_URL: google.url,
    GOOGLE_APPLICATION_CREDENTIALS: '',
    CLOUDSDK_CONFIG: '/nonexistent',
    GCE_METADATA_HOST: new URL(google.url).host,
    METADATA_SERVER_DETECTION: 'assume-present',
    STORAGE_EMULATOR_HOST: google.url,
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([google.close(), s3.close()]);
});

async function opened(options: ServiceOptions): Promise<Services> {
  const { services, close } = await openServices(options, { cwd: temporaryFolder(), runtime });
  onTestFinished(close);
  return services;
}

async function sessionOf({ sessionService }: Services, text: string) {
  const session = await sessionService.createSession(user);
  await sessionService.appendEvent({
    session,
    event: createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } }, runtime),
  });
  return (await sessionService.getSession({ ...user, sessionId: session.id }))!;
}

describe('openServices with agentengine://', () => {
  it.each(['1234567890', `${project}/reasoningEngines/1234567890`])(
    'stores sessions and memory in the engine %s',
    async (engine) => {
      const uri = `agentengine://${engine}`;
      const services = await opened({ sessionServiceUri: uri, memoryServiceUri: uri });
      const session = await sessionOf(services, 'I always take a flat white.');
      expect(session.events).toHaveLength(1);
      const note = {
        kind: 'note' as const,
        content: { role: 'user' as const, parts: [{ text: 'Takes a flat white.' }] },
      };
      await services.memoryService.addMemory!({ ...user, memories: [note] });
      const { memories } = await services.memoryService.searchMemory({ ...user, query: 'flat white' });
      expect(JSON.stringify(memories)).toContain('flat white');
      const engines = `/${project}/reasoningEngines/1234567890/`;
      expect(google.requestsOn('POST', engines, 'sessions').length).toBeGreaterThan(0);
      expect(google.requestsOn('POST', engines, 'memories').length).toBeGreaterThan(0);
    },
  );
});

describe('openServices with rag://', () => {
  it.each(['5', `${project}/ragCorpora/5`])('stores memory in the corpus %s', async (corpus) => {
    const services = await opened({ sessionServiceUri: 'memory://', memoryServiceUri: `rag://${corpus}` });
    await services.memoryService.addSessionToMemory(await sessionOf(services, 'I love balconies.'));
    const { memories } = await services.memoryService.searchMemory({ ...user, query: 'balconies' });
    expect(JSON.stringify(memories)).toContain('balconies');
  });
});

describe('openServices with buckets', () => {
  it('stores artifacts in gs:// below the prefix', async () => {
    const { artifactService } = await opened({ sessionServiceUri: 'memory://', artifactServiceUri: 'gs://plans/a/b/' });
    await artifactService.saveArtifact({ ...file, artifact: { text: 'one' } });
    expect(google.storage.namesIn('plans')).toEqual(['a/b/assistant/ada/s1/plan.txt/0']);
  });

  it('stores artifacts in s3:// at the endpoint of the query', async () => {
    const artifactServiceUri = `s3://plans/a?region=eu-west-1&endpoint=${s3.url}`;
    const { artifactService } = await opened({ sessionServiceUri: 'memory://', artifactServiceUri });
    await artifactService.saveArtifact({ ...file, artifact: { text: 'one' } });
    expect([...s3.buckets.get('plans')!.keys()]).toEqual(['a/assistant/ada/s1/plan.txt/0']);
  });

  it.each([
    ['gs://missing-plans', 'missing-plans'],
    ['s3://missing-plans?region=x&endpoint=', 'The bucket "missing-plans" does not exist.'],
  ])('rejects the missing bucket of %s at once', async (uri, words) => {
    const artifactServiceUri = uri.endsWith('=') ? uri + s3.url : uri;
    const opening = opened({ sessionServiceUri: 'memory://', artifactServiceUri });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(opening).rejects.toThrow(words);
  });
});
