import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gemini, GeminiEmbedder } from '../src/index.ts';
import { answerAsGemini } from './gemini-server.ts';
import { collect, question } from './local-gemini.ts';

// The tests change the environment of the process, because the SDK and Google's credentials read it.
const folder = mkdtempSync(join(tmpdir(), 'gemini-'));
const originalEnv = { ...process.env };
let server: ProtocolServer;
let answerToken: () => ServerAnswer;
let tokenServerUrl: string;

beforeEach(async () => {
  answerToken = () => ({
    body: JSON.stringify({ access_token: 'ya29.a-token', expires_in: 3600, token_type: 'Bearer' }),
  });
  server = await ProtocolServer.start((request) =>
    request.path === '/token' ? answerToken() : answerAsGemini(request),
  );
  tokenServerUrl = server.url;
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in originalEnv)) delete process.env[name];
  Object.assign(process.env, originalEnv);
  await server.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a key file in Google Cloud's format. */
function writeServiceAccount(): void {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const account = {
    type: 'service_account',
    project_id: 'hotel',
    private_key_id: 'key-1',
    private_key: privateKey,
    client_email: 'concierge@hotel.iam.gserviceaccount.com',
    client_id: '1',
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  const file = join(folder, `account-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(account));
  process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
}

/** Calls `fetch`. Requests to Google's token server, whose address is fixed in its library, are sent to the local server. */
const fetchLocally: typeof fetch = (input, init) =>
  fetch(
    String(input instanceof Request ? input.url : input).replace('https://oauth2.googleapis.com', tokenServerUrl),
    init,
  );

function vertex(timeoutMs?: number): Gemini {
  const connection = { vertexai: true, project: 'hotel', location: 'europe-west1' };
  return new Gemini({
    model: 'gemini-text',
    ...connection,
    baseUrl: server.url,
    retry: false,
    fetch: fetchLocally,
    timeoutMs,
  });
}

describe('Vertex AI with a service account', () => {
  it('sends a token of the account, and requests one token for many calls', async () => {
    writeServiceAccount();
    const llm = vertex();
    for (const stream of [false, true]) {
      const { responses, error } = await collect(llm, question(), stream);
      expect(error).toBeUndefined();
      expect(responses.at(-1)?.finishReason).toBe('STOP');
    }
    const [first, ...calls] = server.requests;
    expect(first?.path).toBe('/token');
    expect(calls.map(({ path }) => path)).toEqual([
      '/v1beta1/projects/hotel/locations/europe-west1/publishers/google/models/gemini-text:generateContent',
      '/v1beta1/projects/hotel/locations/europe-west1/publishers/google/models/gemini-text:streamGenerateContent?alt=sse',
    ]);
    for (const { headers } of calls) {
      expect(headers['authorization']).toBe('Bearer ya29.a-token');
      expect(headers['x-goog-api-key']).toBeUndefined();
    }
  });

  it('reads credentials from googleAuthOptions and never shows them (contract 42)', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const credentials = { client_email: 'concierge@hotel.iam.gserviceaccount.com', private_key: privateKey };
    const llm = new Gemini({
      model: 'gemini-text',
      vertexai: true,
      project: 'hotel',
      baseUrl: server.url,
      retry: false,
      fetch: fetchLocally,
      googleAuthOptions: { credentials },
    });
    const { error } = await collect(llm, question(), false);
    expect(error).toBeUndefined();
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined, 'Bearer ya29.a-token']);
    answerToken = () => ({ status: 400, body: JSON.stringify({ error: `invalid_grant ${privateKey}` }) });
    const refused = new Gemini({
      model: 'gemini-text',
      vertexai: true,
      project: 'hotel',
      baseUrl: server.url,
      retry: false,
      fetch: fetchLocally,
      googleAuthOptions: { credentials },
    });
    const failed = await collect(refused, question(), false);
    expect(failed.error).toMatchObject({ code: 'MODEL_AUTH' });
    expect(inspect(failed.error, { depth: 10, showHidden: true })).not.toContain(privateKey.slice(40, 80));
  });

  it('embeds one text per call', async () => {
    writeServiceAccount();
    const embedder = new GeminiEmbedder({
      vertexai: true,
      project: 'hotel',
      baseUrl: server.url,
      retry: false,
      fetch: fetchLocally,
    });
    expect(await embedder.embed(['a', 'b', 'c'], { task: 'document' })).toHaveLength(3);
    const calls = server.requests.filter(({ path }) => path !== '/token');
    expect(calls.map(({ path }) => path)).toEqual(
      Array.from(
        { length: 3 },
        () => '/v1beta1/projects/hotel/locations/global/publishers/google/models/gemini-embedding-001:predict',
      ),
    );
    expect(calls[0]?.body).toEqual({
      instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT' }],
      parameters: { outputDimensionality: 3072 },
    });
  });

  it('throws MODEL_AUTH if the account is missing or rejected, without the key', async () => {
    writeServiceAccount();
    answerToken = () => ({
      status: 400,
      body: JSON.stringify({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
    });
    const refused = await collect(vertex(), question(), false);
    expect(refused.error).toMatchObject({ code: 'MODEL_AUTH', retryable: false });
    const shown = inspect(refused.error, { depth: 10, showHidden: true });
    expect(shown).not.toMatch(/PRIVATE KEY|assertion/);
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = join(folder, 'not-there.json');
    const missing = await collect(vertex(), question(), true);
    expect(missing.error).toMatchObject({ code: 'MODEL_AUTH' });
    expect(server.requests.every(({ path }) => path === '/token')).toBe(true);
  });

  it('throws MODEL_UNAVAILABLE if the token server cannot be reached', async () => {
    writeServiceAccount();
    tokenServerUrl = 'http://127.0.0.1:1';
    expect((await collect(vertex(), question(), false)).error).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
    });
  });

  it('throws MODEL_TIMEOUT if the token does not arrive in time', async () => {
    writeServiceAccount();
    answerToken = () => ({ ending: 'silence' });
    expect((await collect(vertex(150), question(), false)).error).toMatchObject({
      code: 'MODEL_TIMEOUT',
      retryable: true,
    });
  });

  it('ends if the signal is aborted during the request for a token', async () => {
    writeServiceAccount();
    answerToken = () => ({ ending: 'silence' });
    const abort = new AbortController();
    const answers = vertex().generateContentAsync(question(), { stream: true, signal: abort.signal });
    const next = answers.next();
    const reason = new Error('enough');
    setTimeout(() => abort.abort(reason), 50);
    await expect(next).rejects.toBe(reason);
  });
});

describe('Gemini with other environment variables', () => {
  beforeEach(() => {
    Object.assign(process.env, {
      GOOGLE_API_KEY: 'key-of-the-environment',
      GOOGLE_GENAI_API_VERSION: 'v9',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
      GOOGLE_VERTEX_BASE_URL: 'http://127.0.0.1:1',
      GOOGLE_CLOUD_PROJECT: 'project-of-the-environment',
      GOOGLE_CLOUD_LOCATION: 'us-east1',
    });
  });

  it('uses the options with a key, and writes nothing to the console', async () => {
    process.env['GEMINI_API_KEY'] = 'another-key';
    process.env['GOOGLE_GENAI_USE_VERTEXAI'] = 'true';
    const consoleSpies = (['log', 'debug', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const options = { apiKey: 'a-local-key', baseUrl: server.url, retry: false } as const;
    await collect(new Gemini({ model: 'gemini-text', ...options }), question(), false);
    await collect(new Gemini({ model: 'gemini-text', vertexai: true, ...options }), question(), true);
    await new GeminiEmbedder(options).embed(['a'], { task: 'query' });
    // The credentials library may repeat the token request that an earlier test left unanswered.
    const calls = server.requests.filter(({ path }) => path !== '/token');
    expect(calls.map(({ path }) => path)).toEqual([
      '/v1beta/models/gemini-text:generateContent',
      '/v1beta1/publishers/google/models/gemini-text:streamGenerateContent?alt=sse',
      '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    ]);
    for (const { headers } of calls) expect(headers['x-goog-api-key']).toBe('a-local-key');
    for (const spy of consoleSpies) expect(spy).not.toHaveBeenCalled();
  });

  it('uses the options with a project', async () => {
    process.env['GOOGLE_GENAI_USE_VERTEXAI'] = 'false';
    // The SDK logs that it ignores the key of the environment.
    vi.spyOn(console, 'debug').mockReturnValue();
    writeServiceAccount();
    const llm = new Gemini({
      model: 'gemini-text',
      vertexai: true,
      project: 'hotel',
      baseUrl: server.url,
      retry: false,
      fetch: fetchLocally,
    });
    expect((await collect(llm, question(), false)).error).toBeUndefined();
    const call = server.requests.at(-1);
    expect(call?.path).toBe(
      '/v1beta1/projects/hotel/locations/global/publishers/google/models/gemini-text:generateContent',
    );
    expect(call?.headers).toMatchObject({ authorization: 'Bearer ya29.a-token' });
  });

  it('reads the environment only in fromEnv', async () => {
    process.env['GOOGLE_GEMINI_BASE_URL'] = server.url;
    const { responses } = await collect(Gemini.fromEnv('gemini-text', { retry: false }), question(), false);
    expect(responses).toHaveLength(1);
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe('key-of-the-environment');
  });
});
