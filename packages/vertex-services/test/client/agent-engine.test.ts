import { VertexAiSessionService } from '@thole/vertex-services';
import type { VertexAiSessionServiceOptions } from '@thole/vertex-services';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => void (server.requests.length = 0));
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const place = { project: 'hotel', location: 'us-central1' };

async function pathFor(options: VertexAiSessionServiceOptions, appName: string): Promise<string> {
  const service = new VertexAiSessionService({ ...server.options, ...options });
  await service.listSessions({ appName, userId: 'ada' });
  return server.requestsOn('GET', '/sessions').at(-1)!.path;
}

async function failureFor(options: VertexAiSessionServiceOptions, appName: string): Promise<string> {
  return pathFor(options, appName).catch((error: { code: string; message: string }) => {
    expect(error.code).toBe('INVALID_INPUT');
    return error.message;
  });
}

describe('agentEngineId', () => {
  it('defaults to the name of the app: an id or a resource name', async () => {
    expect(await pathFor(place, '42')).toBe(
      '/v1beta1/projects/hotel/locations/us-central1/reasoningEngines/42/sessions',
    );
    const name = 'projects/inn/locations/europe-west1/reasoningEngines/43';
    expect(await pathFor({}, name)).toBe(`/v1beta1/${name}/sessions`);
  });

  it('takes precedence over the name of the app', async () => {
    const name = 'projects/inn/locations/europe-west1/reasoningEngines/43';
    expect(await pathFor({ agentEngineId: name }, '42')).toBe(`/v1beta1/${name}/sessions`);
    expect(await pathFor({ ...place, agentEngineId: '44' }, name)).toBe(
      '/v1beta1/projects/hotel/locations/us-central1/reasoningEngines/44/sessions',
    );
  });

  it('keeps the sessions of two apps in one engine apart', async () => {
    const service = new VertexAiSessionService({ ...server.options, ...place, agentEngineId: '45' });
    await service.createSession({ appName: 'hotel', userId: 'ada', sessionId: 'shared' });
    expect(await service.getSession({ appName: 'airline', userId: 'ada', sessionId: 'shared' })).toBeUndefined();
    expect((await service.listSessions({ appName: 'airline', userId: 'ada' })).sessions).toEqual([]);
    expect((await service.listSessions({ appName: 'hotel', userId: 'ada' })).sessions).toHaveLength(1);
  });

  it('keeps the sessions of two apps apart if a function returns the same engine for both', async () => {
    const service = new VertexAiSessionService({ ...server.options, ...place, agentEngineId: () => '46' });
    await service.createSession({ appName: 'hotel', userId: 'ada', sessionId: 'shared' });
    expect(await service.getSession({ appName: 'airline', userId: 'ada', sessionId: 'shared' })).toBeUndefined();
    expect(await service.getSession({ appName: 'hotel', userId: 'ada', sessionId: 'shared' })).toBeDefined();
  });

  it('sends no access token to another server that the name of an app contains', async () => {
    const names = ['projects/p/locations/evil.test#/reasoningEngines/1', 'projects/../locations/l/reasoningEngines/1'];
    for (const name of [...names, 'projects/p/locations/l/reasoningEngines/..'])
      expect(await failureFor({}, name)).toContain('appName must be the id of an Agent Engine');
    expect(server.requests).toEqual([]);
  });

  it('is named in the error if appName is not an engine', async () => {
    expect(await failureFor(place, 'concierge')).toBe(
      'appName must be the id of an Agent Engine (digits) or projects/…/locations/…/reasoningEngines/…, because agentEngineId of VertexAiSessionService is not set.',
    );
  });

  it('rejects a missing project or location and names the option and the variable', async () => {
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', '');
    vi.stubEnv('GOOGLE_CLOUD_LOCATION', '');
    expect(await failureFor({ location: 'us-central1' }, '42')).toBe(
      'project of VertexAiSessionService is missing. Set the option to a name such as my-project, or set GOOGLE_CLOUD_PROJECT.',
    );
    expect(await failureFor({ project: 'hotel' }, '42')).toBe(
      'location of VertexAiSessionService is missing. Set the option to a name such as us-central1, or set GOOGLE_CLOUD_LOCATION.',
    );
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'lodge');
    vi.stubEnv('GOOGLE_CLOUD_LOCATION', 'global');
    expect(await pathFor({}, '42')).toBe('/v1beta1/projects/lodge/locations/global/reasoningEngines/42/sessions');
  });

  it('selects the host by the location', async () => {
    const hosts: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      hosts.push(new URL(input as string).host);
      return server.fetch(input, init);
    };
    for (const location of ['europe-west4', 'global']) await pathFor({ project: 'hotel', location, fetch }, '42');
    expect(hosts.filter((host) => host.includes('aiplatform'))).toEqual([
      'europe-west4-aiplatform.googleapis.com',
      'aiplatform.googleapis.com',
    ]);
  });

  it('rejects invalid options with INVALID_INPUT', () => {
    for (const bad of [
      { agentEngineId: 7 },
      { agentEngineId: 'a/b' },
      { ...place, project: 'a/b' },
      { timeoutMs: 0 },
      { maxAttempts: 0 },
      { baseUrl: 'ftp://x' },
      { fetch: 'x' },
      { googleAuthOptions: true },
      { engine: '7' },
    ])
      expect(() => new VertexAiSessionService({ ...place, ...bad } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
  });
});
