import { createEvent, systemRuntime } from '@thole/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GoogleServer } from '../../vertex-services/test/google-server/google-server.ts';
import { S3Server } from '../../s3-services/test/s3-server.ts';
import { createArtifactService, createMemoryService, createSessionService } from '@thole/services';
import type { SessionService } from '@thole/core';

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

/** Returns the service, and closes it after the test. */
async function closeAfterTest<S extends { close(): Promise<void> }>(creating: Promise<S>): Promise<S> {
  const service = await creating;
  onTestFinished(() => service.close());
  return service;
}

async function sessionOf(sessionService: SessionService, text: string) {
  const session = await sessionService.createSession(user);
  await sessionService.appendEvent({
    session,
    event: createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } }, runtime),
  });
  return (await sessionService.getSession({ ...user, sessionId: session.id }))!;
}

describe('agentengine://', () => {
  const creators = Object.entries({ createSessionService, createMemoryService });

  it.each(['1234567890', `${project}/reasoningEngines/1234567890`])(
    'stores sessions and memory in the engine %s',
    async (engine) => {
      const sessions = await closeAfterTest(createSessionService(`agentengine://${engine}`));
      const memory = await closeAfterTest(createMemoryService(`agentengine://${engine}`));
      const session = await sessionOf(sessions, 'I always take a flat white.');
      expect(session.events).toHaveLength(1);
      const note = {
        kind: 'note' as const,
        content: { role: 'user' as const, parts: [{ text: 'Takes a flat white.' }] },
      };
      await memory.addMemory!({ ...user, memories: [note] });
      const { memories } = await memory.searchMemory({ ...user, query: 'flat white' });
      expect(JSON.stringify(memories)).toContain('flat white');
      const engines = `/${project}/reasoningEngines/1234567890/`;
      expect(google.requestsOn('POST', engines, 'sessions').length).toBeGreaterThan(0);
      expect(google.requestsOn('POST', engines, 'memories').length).toBeGreaterThan(0);
    },
  );

  it('rejects a missing project and names the variable to set', async () => {
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', '');
    onTestFinished(() => void vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'hotel'));
    const creating = createSessionService('agentengine://1234567890');
    await expect(creating).rejects.toThrow(/set GOOGLE_CLOUD_PROJECT\.$/);
  });

  it.each(creators)('rejects a name whose location is the name of another server (%s)', async (_, create) => {
    await expect(create('agentengine://projects/p/locations/evil.test#/reasoningEngines/1')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('uri must be agentengine:// and an id'),
    });
  });

  it.each(creators)('rejects a missing engine at once (%s)', async (_, create) => {
    google.sessions.missingEngines.add('404');
    await expect(create('agentengine://404')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`The Agent Engine ${project}/reasoningEngines/404 does not exist.`),
    });
  });

  it.each(creators)('rejects a missing role at once (%s)', async (_, create) => {
    const error = { code: 403, status: 'PERMISSION_DENIED', message: 'Permission denied.' };
    google.faults.push({ on: 'GET /reasoningEngines/', answer: { status: 403, json: { error } } });
    await expect(create('agentengine://1234567890')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('Grant the account the role "Vertex AI User" (roles/aiplatform.user)'),
    });
  });
});

describe('rag://', () => {
  it.each(['5', `${project}/ragCorpora/5`])('stores memory in the corpus %s', async (corpus) => {
    const sessions = await closeAfterTest(createSessionService('memory://'));
    const memory = await closeAfterTest(createMemoryService(`rag://${corpus}`));
    await memory.addSessionToMemory(await sessionOf(sessions, 'I love balconies.'));
    const { memories } = await memory.searchMemory({ ...user, query: 'balconies' });
    expect(JSON.stringify(memories)).toContain('balconies');
  });

  it('rejects a missing corpus at once', async () => {
    await expect(createMemoryService('rag://missing-5')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining(`The RAG corpus ${project}/ragCorpora/missing-5 does not exist.`),
    });
  });
});

describe('gs:// and s3://', () => {
  it('stores artifacts in gs:// below the prefix', async () => {
    const artifacts = await closeAfterTest(createArtifactService('gs://plans/a/b/'));
    await artifacts.saveArtifact({ ...file, artifact: { text: 'one' } });
    expect(google.storage.namesIn('plans')).toEqual(['a/b/assistant/ada/s1/plan.txt/0']);
  });

  it('stores artifacts in s3:// at the endpoint of the query', async () => {
    const artifacts = await closeAfterTest(createArtifactService(`s3://plans/a?region=eu-west-1&endpoint=${s3.url}`));
    await artifacts.saveArtifact({ ...file, artifact: { text: 'one' } });
    expect([...s3.buckets.get('plans')!.keys()]).toEqual(['a/assistant/ada/s1/plan.txt/0']);
  });

  it.each([
    ['gs://missing-plans', 'missing-plans'],
    ['s3://missing-plans?region=x&endpoint=', 'The bucket "missing-plans" does not exist.'],
  ])('rejects the missing bucket of %s at once', async (uri, words) => {
    const creating = createArtifactService(uri.endsWith('=') ? uri + s3.url : uri);
    await expect(creating).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(creating).rejects.toThrow(words);
  });
});
