import { embedderCases, register } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAiEmbedder } from '../src/index.ts';
import type { OpenAiEmbedderOptions } from '../src/index.ts';
import { fixedFetch } from './ask.ts';
import { startEmbeddingServer } from './embedding-server.ts';

let server: ProtocolServer;
beforeAll(async () => {
  server = await startEmbeddingServer(64);
});
afterAll(() => server.close());

register({ describe, it }, embedderCases, {
  name: 'OpenAiEmbedder',
  claims: [],
  create: () => new OpenAiEmbedder({ model: 'nomic-embed-text', dimensions: 64, baseUrl: `${server.url}/v1` }),
});

describe('OpenAiEmbedder', () => {
  const vector = (index: number, ...embedding: unknown[]) => ({ object: 'embedding', index, embedding });
  const embedderFor = (data: unknown[], options: Partial<OpenAiEmbedderOptions> = {}) => {
    const { fetch, requests } = fixedFetch({ object: 'list', data });
    const connection = { baseUrl: 'http://localhost:1/v1', retry: false as const, fetch };
    return { requests, embedder: new OpenAiEmbedder({ model: 'tiny', dimensions: 2, ...connection, ...options }) };
  };

  it('knows the length of vectors of OpenAI, and requires dimensions for other models', () => {
    const dimensionsOf = (model: string) => new OpenAiEmbedder({ model, apiKey: 'sk-12345' }).dimensions;
    expect(['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'].map(dimensionsOf)).toEqual([
      1536, 3072, 1536,
    ]);
    expect(() => dimensionsOf('nomic-embed-text')).toThrow(/nomic-embed-text.*Set dimensions/);
    expect(() => dimensionsOf('constructor')).toThrow(/Set dimensions/);
  });

  it('splits texts into requests by their tokens, and returns one vector per text in order', async () => {
    const options = { model: 'nomic-embed-text', dimensions: 64, baseUrl: `${server.url}/v1` };
    const texts = ['one two', 'three', 'seven', 'x'.repeat(400), 'four', 'five'];
    const before = server.requests.length;
    const vectors = await new OpenAiEmbedder({ ...options, maxBatchTokens: 4 }).embed(texts, { task: 'document' });
    const sent = server.requests.slice(before).map(({ body }) => (body as { input: string[] }).input);
    expect(sent).toEqual([['one two', 'three'], ['seven'], [texts[3]], ['four', 'five']]);
    expect(vectors).toEqual(await new OpenAiEmbedder(options).embed(texts, { task: 'document' }));
  });

  it('requests floats, and dimensions only if they are fewer than those of the model', async () => {
    const { requests, embedder } = embedderFor([vector(0, 1, 0)]);
    await embedder.embed(['a'], { task: 'query' });
    expect(requests[0]!.url).toBe('http://localhost:1/v1/embeddings');
    expect(await requests[0]!.json()).toEqual({ model: 'tiny', encoding_format: 'float', input: ['a'] });
    const shorter = embedderFor([vector(0, 1, 0)], { model: 'text-embedding-3-small' });
    await shorter.embedder.embed(['a'], { task: 'document' });
    expect(await shorter.requests[0]!.json()).toMatchObject({ dimensions: 2 });
  });

  it('returns vectors in the order of their texts, by their index', async () => {
    const { embedder } = embedderFor([vector(1, 0, 1), vector(0, 1, 0)]);
    expect(await embedder.embed(['a', 'b'], { task: 'query' })).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  });

  it.each([
    [[vector(0, 1, 0)], /1 vectors for 2 texts/],
    [[vector(0, 1, 0), vector(0, 1, 0)], /wrong indexes/],
    [[vector(0, 1, 0), vector(7, 1, 0)], /wrong indexes/],
    [[vector(0, 1, 0), vector(1, 1)], /of 1 numbers, but dimensions is 2/],
    [[vector(0, 1, 0), vector(1, 1, null)], /not a number/],
    [[vector(0, 1, 0), { index: 1, embedding: 'AACAPw==' }], /not a list/],
  ])('rejects %j', async (data, message) => {
    const failing = embedderFor(data).embedder.embed(['a', 'b'], { task: 'query' });
    await expect(failing).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', message: expect.stringMatching(message) });
  });

  it('rejects more texts than maxBatch', async () => {
    const { requests, embedder } = embedderFor([], { maxBatch: 1 });
    await expect(embedder.embed(['a', 'b'], { task: 'query' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(requests).toEqual([]);
    expect(new OpenAiEmbedder({ model: 'text-embedding-3-small', apiKey: 'sk-12345' }).maxBatch).toBe(2048);
  });

  it('throws MODEL_… errors of the server, and reads the environment', async () => {
    const { fetch } = fixedFetch({ error: { message: 'no such model', code: 'model_not_found' } });
    const env = { OPENAI_API_KEY: 'sk-12345' };
    const embedder = OpenAiEmbedder.fromEnv('text-embedding-3-small', { env, fetch, retry: false });
    await expect(embedder.embed(['a'], { task: 'query' })).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(() => OpenAiEmbedder.fromEnv('text-embedding-3-small', { env: {} })).toThrow(/OPENAI_API_KEY/);
  });
});
