import { describe, expect, it } from 'vitest';
import { Gemini, GeminiEmbedder } from '../src/index.ts';
import type { GeminiOptions } from '../src/index.ts';
import { endpointOf, withEnv } from '../src/gemini-options.ts';

const model = 'gemini-2.5-flash';

describe('new Gemini', () => {
  it('names the platform of its models in traces', () => {
    const names = [false, true].map((vertexai) => new Gemini({ model, apiKey: 'key', vertexai }).providerName);
    expect(names).toEqual(['gcp.gemini', 'gcp.vertex_ai']);
  });

  it('names the variable of a missing key in the constructor', () => {
    for (const create of [
      () => new Gemini({ model }),
      () => Gemini.fromEnv(model, { env: {} }),
      () => GeminiEmbedder.fromEnv('gemini-embedding-001', { env: {} }),
    ])
      expect(create).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          message: expect.stringMatching(/GOOGLE_API_KEY or GEMINI_API_KEY/),
        }),
      );
    expect(() => new Gemini({ model, vertexai: true })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(/GOOGLE_CLOUD_PROJECT/) }),
    );
  });

  it.each<[string, object]>([
    ['model', { model: '' }],
    ['model', { model: undefined }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 7 }],
    ['baseUrl', { baseUrl: 'ftp://x' }],
    ['vertexai', { vertexai: 'true' }],
    ['project', { project: 'hotel' }],
    ['location', { location: '', vertexai: true }],
    ['apiVersion', { apiVersion: '../v1' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['retry.maxAttempts', { retry: { maxAttempts: 0 } }],
    ['temperature', { temperature: 1 }],
    ['schemas', { schemas: 'strict' }],
    ['googleAuthOptions', { googleAuthOptions: {} }],
    ['googleAuthOptions', { googleAuthOptions: 'x', vertexai: true }],
  ])('rejects %s of %j and names it', (name, options) => {
    const all = { model, apiKey: 'a-local-key', ...options } as GeminiOptions;
    expect(() => new Gemini(all)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
    );
  });

  it('never shows the key in an error', () => {
    expect(() => new Gemini({ model: '', apiKey: 'a-local-key' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('a-local-key') }),
    );
  });
});

describe('endpointOf', () => {
  it.each([
    [{}, 'gemini'],
    [{ baseUrl: 'https://generativelanguage.googleapis.com' }, 'gemini'],
    [{ baseUrl: 'http://localhost:8080/gateway' }, 'gemini:localhost:8080'],
    [{ vertexai: true }, 'vertex'],
    [{ vertexai: true, baseUrl: 'https://europe-west1-aiplatform.googleapis.com' }, 'vertex'],
    [{ vertexai: true, baseUrl: 'https://aiplatform.eu.rep.googleapis.com' }, 'vertex'],
    [{ vertexai: true, baseUrl: 'https://proxy.example' }, 'vertex:proxy.example'],
  ])('returns the endpoint for %j: %s', (options, name) => {
    expect(endpointOf(options)).toEqual({ name });
  });
});

describe('fromEnv', () => {
  const env = {
    GOOGLE_API_KEY: ' google-key ',
    GEMINI_API_KEY: 'gemini-key',
    GOOGLE_CLOUD_PROJECT: 'hotel',
    GOOGLE_CLOUD_LOCATION: 'europe-west1',
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
    GOOGLE_VERTEX_BASE_URL: 'http://127.0.0.1:2',
  };

  it('prefers GOOGLE_API_KEY to GEMINI_API_KEY, and ignores variables of Vertex AI by default', () => {
    const read = withEnv({}, env);
    expect(read).toEqual({ vertexai: false, apiKey: 'google-key', baseUrl: 'http://127.0.0.1:1' });
    expect(withEnv({}, { GEMINI_API_KEY: 'gemini-key' })).toMatchObject({ apiKey: 'gemini-key' });
  });

  it.each(['true', 'TRUE', '1'])('uses the project, not the key, for GOOGLE_GENAI_USE_VERTEXAI=%s', (use) => {
    const read = withEnv({}, { ...env, GOOGLE_GENAI_USE_VERTEXAI: use });
    expect(read).toEqual({
      vertexai: true,
      project: 'hotel',
      location: 'europe-west1',
      baseUrl: 'http://127.0.0.1:2',
    });
    const { GOOGLE_CLOUD_PROJECT: _, ...express } = env;
    expect(withEnv({}, { ...express, GOOGLE_GENAI_USE_VERTEXAI: use })).toMatchObject({
      vertexai: true,
      apiKey: 'google-key',
    });
  });

  it('prefers options to the environment', () => {
    const vertex = { ...env, GOOGLE_GENAI_USE_VERTEXAI: 'true' };
    expect(withEnv({ vertexai: false, apiKey: 'given-key' }, vertex)).toMatchObject({
      vertexai: false,
      apiKey: 'given-key',
    });
    expect(withEnv({ apiKey: 'given-key' }, vertex)).toEqual({
      vertexai: true,
      apiKey: 'given-key',
      baseUrl: 'http://127.0.0.1:2',
    });
    expect(withEnv({ project: 'other', location: 'us' }, vertex)).toMatchObject({ project: 'other', location: 'us' });
    expect(withEnv({ baseUrl: 'http://127.0.0.1:3' }, env).baseUrl).toBe('http://127.0.0.1:3');
  });

  it('reads GOOGLE_GENAI_API_KEY last', () => {
    const keys = { GEMINI_API_KEY: 'gemini-key', GOOGLE_GENAI_API_KEY: 'genai-key' };
    expect(withEnv({}, keys)).toMatchObject({ apiKey: 'gemini-key' });
    expect(withEnv({}, { GOOGLE_GENAI_API_KEY: 'genai-key' })).toMatchObject({ apiKey: 'genai-key' });
  });

  it('creates a model with the name', () => {
    expect(Gemini.fromEnv('gemini-3-pro-preview', { env, retry: false }).model).toBe('gemini-3-pro-preview');
    expect(GeminiEmbedder.fromEnv(undefined, { env, dimensions: 768 })).toMatchObject({
      model: 'gemini-embedding-001',
      dimensions: 768,
    });
  });
});
