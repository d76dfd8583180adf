import {
  GcsArtifactService,
  VertexAiMemoryBankService,
  VertexAiRagMemoryService,
  VertexAiSessionService,
} from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => void (server.requests.length = 0));
afterEach(() => void (server.faults.length = 0));
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const place = { project: 'hotel', location: 'us-central1' };
const parent = 'projects/hotel/locations/us-central1';

const services = {
  VertexAiSessionService: {
    open: (id: string) => new VertexAiSessionService({ ...place, ...server.options, agentEngineId: id }),
    request: `GET /v1beta1/${parent}/reasoningEngines/42/sessions`,
    missing: `The Agent Engine ${parent}/reasoningEngines/missing-7 does not exist. Check agentEngineId or appName, the project and the location.`,
  },
  VertexAiMemoryBankService: {
    open: (id: string) => new VertexAiMemoryBankService({ ...place, ...server.options, agentEngineId: id }),
    request: `GET /v1beta1/${parent}/reasoningEngines/42/memories`,
    missing: `The Agent Engine ${parent}/reasoningEngines/missing-7 does not exist. Check agentEngineId or appName, the project and the location.`,
  },
  VertexAiRagMemoryService: {
    open: (id: string) => new VertexAiRagMemoryService({ ...place, ...server.options, ragCorpus: id }),
    request: `GET /v1beta1/${parent}/ragCorpora/42/ragFiles`,
    missing: `The RAG corpus ${parent}/ragCorpora/missing-7 does not exist. Create it, or check ragCorpus, the project and the location.`,
  },
  GcsArtifactService: {
    open: (id: string) => new GcsArtifactService({ ...server.options, bucket: id }),
    request: 'GET /storage/v1/b/42/o',
    missing: 'The bucket "missing-7" does not exist. Create it, or check the name.',
  },
};

describe.each(Object.entries(services))('%s.ping', (_, { open, request, missing }) => {
  it('resolves after one request', async () => {
    await open('42').ping();
    const requests = server.requests.filter(({ path }) => path !== '/token');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([request]);
  });

  it('throws STORE_UNAVAILABLE that names a missing engine, corpus or bucket', async () => {
    server.sessions.missingEngines.add('missing-7');
    await expect(open('missing-7').ping()).rejects.toMatchObject({
      ...{ code: 'STORE_UNAVAILABLE', retryable: false, message: missing },
    });
  });

  it('throws STORE_UNAVAILABLE that names the role if the account may not read', async () => {
    const error = { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' };
    server.faults.push({ on: request.replace(/\/v1beta1.*\//, ''), answer: { status: 403, json: { error } } });
    await expect(open('42').ping()).rejects.toMatchObject({
      ...{
        code: 'STORE_UNAVAILABLE',
        retryable: false,
        message: expect.stringContaining('Grant the account the role'),
      },
    });
  });
});

describe.each([
  ['VertexAiSessionService', VertexAiSessionService, 'sessions'],
  ['VertexAiMemoryBankService', VertexAiMemoryBankService, 'memories'],
] as const)('%s.ping without a fixed agentEngineId', (name, Service, list) => {
  it('checks the engine of appName', async () => {
    const agentEngineId = (appName: string): string => (appName === 'concierge' ? '43' : '44');
    await new Service({ ...place, ...server.options }).ping({ appName: '42' });
    await new Service({ ...place, ...server.options, agentEngineId }).ping({ appName: 'concierge' });
    expect(server.requestsOn('GET', list).map(({ path }) => path)).toEqual([
      `/v1beta1/${parent}/reasoningEngines/42/${list}`,
      `/v1beta1/${parent}/reasoningEngines/43/${list}`,
    ]);
  });

  it('throws INVALID_INPUT without appName', async () => {
    await expect(new Service({ ...place, ...server.options }).ping()).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `ping of ${name} needs appName, because agentEngineId is not the name of one engine.`,
    });
  });
});
