import { embedderCases, register } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAiEmbedder } from '../src/index.ts';
import type { OpenAiEmbedderOptions } from '../src/index.ts';
import { cannedFetch } from './ask.ts';
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
  const small = (data: unknown[], options: Partial<OpenAiEmbedderOptions> = {}) => {
    const { fetch, asked } = cannedFetch({ object: 'list', data });
    const where = { baseUrl: 'http://localhost:1/v1', retry: false as const, fetch };
    return { asked, embedder: new OpenAiEmbedder({ model: 'tiny', dimensions: 2, ...where, ...options }) };
  };

  it('knows the length of vectors of OpenAI, and requires dimensions for other models', () => {
    const known = (model: string) => new OpenAiEmbedder({ model, apiKey: 'sk-12345' }).dimensions;
    expect(['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'].map(known)).toEqual([
      1536, 3072, 1536,
    ]);
    expect(() => known('nomic-embed-text')).toThrow(/nomic-embed-text.*Set dimensions/);
    expect(() => known('constructor')).toThrow(/Set dimensions/);
  });

  it('splits texts into requests by their tokens, and returns one vector per text in order', async () => {
    const where = { model: 'nomic-embed-text', dimensions: 64, baseUrl: `${server.url}/v1` };
    const texts = ['one two', 'three', 'x'.repeat(400), 'four', 'five'];
    const before = server.requests.length;
    const vectors = await new OpenAiEmbedder({ ...where, maxBatchTokens: 8 }).embed(texts, { task: 'document' });
    const sent = server.requests.slice(before).map(({ body }) => (body as { input: string[] }).input);
    expect(sent).toEqual([['one two', 'three'], [texts[2]], ['four', 'five']]);
    expect(vectors).toEqual(await new OpenAiEmbedder(where).embed(texts, { task: 'document' }));
  });

  it('requests floats, and dimensions only if they are fewer than those of the model', async () => {
    const { asked, embedder } = small([vector(0, 1, 0)]);
    await embedder.embed(['a'], { task: 'query' });
    expect(asked[0]!.url).toBe('http://localhost:1/v1/embeddings');
    expect(await asked[0]!.json()).toEqual({ model: 'tiny', encoding_format: 'float', input: ['a'] });
    const shorter = small([vector(0, 1, 0)], { model: 'text-embedding-3-small' });
    await shorter.embedder.embed(['a'], { task: 'document' });
    expect(await shorter.asked[0]!.json()).toMatchObject({ dimensions: 2 });
  });

  it('returns vectors in the order of their texts, by their index', async () => {
    const { embedder } = small([vector(1, 0, 1), vector(0, 1, 0)]);
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
    const failing = small(data).embedder.embed(['a', 'b'], { task: 'query' });
    await expect(failing).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', message: expect.stringMatching(message) });
  });

  it('rejects more texts than maxBatch', async () => {
    const { asked, embedder } = small([], { maxBatch: 1 });
    await expect(embedder.embed(['a', 'b'], { task: 'query' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(asked).toEqual([]);
    expect(new OpenAiEmbedder({ model: 'text-embedding-3-small', apiKey: 'sk-12345' }).maxBatch).toBe(2048);
  });

  it('throws the errors of models, and reads the environment', async () => {
    const { fetch } = cannedFetch({ error: { message: 'no such model', code: 'model_not_found' } });
    const env = { OPENAI_API_KEY: 'sk-12345' };
    const embedder = OpenAiEmbedder.fromEnv('text-embedding-3-small', { env, fetch, retry: false });
    await expect(embedder.embed(['a'], { task: 'query' })).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(() => OpenAiEmbedder.fromEnv('text-embedding-3-small', { env: {} })).toThrow(/OPENAI_API_KEY/);
  });
});
