import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedRuntime } from '@thole/testing';
import { VertexAiSessionService } from '@thole/vertex-services';
import type { GoogleOptions } from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { GoogleServer, serviceAccount } from '../google-server/google-server.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
const folder = mkdtempSync(join(tmpdir(), 'vertex-keys-'));
beforeAll(async () => void (server = await GoogleServer.start()));
afterEach(() => {
  vi.unstubAllEnvs();
  server.faults.length = 0;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

const key = { appName: '42', userId: 'ada', sessionId: 's1' };
const place = { project: 'hotel', location: 'us-central1' };
const LOG_IN = 'Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.';

async function failureOf(googleAuthOptions: GoogleOptions['googleAuthOptions'], maxAttempts = 4): Promise<unknown> {
  const runtime = new FixedRuntime();
  const service = new VertexAiSessionService({
    ...place,
    fetch: server.fetch,
    googleAuthOptions,
    runtime,
    maxAttempts,
    // `passTime` does not reach this limit while a busy machine answers.
    timeoutMs: 600_000,
  });
  return passTime(runtime, service.getSession(key)).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('Google credentials', () => {
  it('can be a service-account key, whose token is cached', async () => {
    const service = new VertexAiSessionService({ ...place, ...server.options });
    const before = server.tokens;
    await service.getSession(key);
    await service.getSession(key);
    expect(server.tokens).toBe(before + 1);
  });

  it('are sent with their quota project', async () => {
    const googleAuthOptions = { credentials: { ...serviceAccount, quota_project_id: 'billing' } };
    await new VertexAiSessionService({ ...place, fetch: server.fetch, googleAuthOptions }).getSession(key);
    expect(server.requests.at(-1)!.headers['x-goog-user-project']).toBe('billing');
    await new VertexAiSessionService({ ...place, ...server.options }).getSession(key);
    expect(server.requests.at(-1)!.headers['x-goog-user-project']).toBeUndefined();
  });

  it('can be read from a key file', async () => {
    const keyFilename = join(folder, 'key.json');
    writeFileSync(keyFilename, JSON.stringify(serviceAccount));
    expect(await failureOf({ keyFilename })).toBeUndefined();
  });

  it('cause an error with the command and the variable to set if they are missing', async () => {
    const env = { HOME: folder, CLOUDSDK_CONFIG: folder, METADATA_SERVER_DETECTION: 'none' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
    expect(await failureOf(undefined)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: `Google Cloud credentials are missing. ${LOG_IN}`,
    });
  });

  it('cause an error with the command and the variable to set if the key file is missing', async () => {
    expect(await failureOf({ keyFilename: join(folder, 'none.json') })).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: `The key file of Google Cloud cannot be read. ${LOG_IN}`,
    });
  });

  it('cause an error with the next step if the token server rejects the key', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = other.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const error = await failureOf({ credentials: { ...serviceAccount, private_key } });
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: `Google rejected the credentials. Check that the service account exists and that its key is valid, or create a new key. ${LOG_IN}`,
    });
    // Neither the key nor the signed assertion is in the error.
    expect(JSON.stringify([error, (error as Error).cause, String((error as Error).cause)])).not.toMatch(
      /BEGIN PRIVATE|assertion/,
    );
  });

  it('cause an error with the next step if the key is invalid', async () => {
    expect(await failureOf({ credentials: { ...serviceAccount, private_key: 'abc' } })).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: false,
      message: expect.stringContaining('Check that the service account exists') as string,
    });
  });

  it('cause a retry if the token server fails', async () => {
    // The library retries as well, in real time.
    server.faults.push({ on: 'POST /token', times: 99, answer: { status: 503, json: { error: 'unavailable' } } });
    expect(await failureOf(server.options.googleAuthOptions, 1)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message: 'No access token: the token server of Google cannot be reached. Check the network.',
    });
    server.faults.length = 0;
    server.faults.push({ on: 'POST /token', answer: 'cut' });
    expect(await failureOf(server.options.googleAuthOptions)).toBeUndefined();
  });

  it('cause an error after timeoutMs if the token server sends nothing', async () => {
    const runtime = new FixedRuntime();
    const service = new VertexAiSessionService({ ...place, ...server.options, runtime, timeoutMs: 1000 });
    server.faults.push({ on: 'POST /token', answer: 'silence' });
    const before = server.requestsOn('POST', '/token').length;
    const failing = expect(service.getSession(key)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message: 'No access token: the token server of Google cannot be reached. Check the network.',
      cause: { message: 'No answer within 1000 ms.' },
    });
    await expect.poll(() => server.requestsOn('POST', '/token')).toHaveLength(before + 1);
    await runtime.advance(1000);
    await failing;
    expect(await service.getSession(key)).toBeUndefined();
  });

  it('are not sent if googleAuthOptions is false', async () => {
    server.requests.length = 0;
    await failureOf(false);
    expect(server.requestsOn('GET', '/sessions/s1')[0]!.headers['authorization']).toBeUndefined();
  });
});
