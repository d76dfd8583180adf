import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { Embedder } from '@thole/core';
import { embedderCases, register } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import type { Answering } from '@thole/testing/http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startGeminiServer } from '../../provider-gemini/test/gemini-server.ts';
import { embeddingAnswers } from '../../provider-openai/test/embedding-server.ts';
import { AiSdkEmbedder } from '../src/index.ts';
import type { AiSdkEmbedderOptions, AiSdkEmbeddingModel } from '../src/index.ts';

const servers: { [name: string]: ProtocolServer } = {};
beforeAll(async () => {
  // The AI SDK ignores the indexes of vectors, so they must be sorted.
  const answers = embeddingAnswers(64);
  servers['openai'] = await ProtocolServer.start(async (request) => {
    const { body } = await answers(request);
    const answer = JSON.parse(body as string) as { data: { index: number }[] };
    return { body: JSON.stringify({ ...answer, data: answer.data.toSorted((a, b) => a.index - b.index) }) };
  });
  servers['google'] = await startGeminiServer();
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

const openaiModel = (url: string): AiSdkEmbeddingModel =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-local' }).embeddingModel('text-embedding-3-small');
const googleModel = (url: string): AiSdkEmbeddingModel =>
  createGoogle({ baseURL: `${url}/v1beta`, apiKey: 'key-local' }).embeddingModel('gemini-embedding-001');

register<Embedder>({ describe, it }, embedderCases, {
  name: 'AiSdkEmbedder (@ai-sdk/openai)',
  create: () => new AiSdkEmbedder(openaiModel(servers['openai']!.url), { dimensions: 64 }),
});

register<Embedder>({ describe, it }, embedderCases, {
  name: 'AiSdkEmbedder (@ai-sdk/google)',
  create: () => new AiSdkEmbedder(googleModel(servers['google']!.url), { dimensions: 3072 }),
});

describe('AiSdkEmbedder', () => {
  const testServers: ProtocolServer[] = [];
  afterEach(async () => {
    await Promise.all(testServers.splice(0).map((server) => server.close()));
  });

  async function embedderFor(
    answer: object | Answering,
    options: Partial<AiSdkEmbedderOptions> = {},
  ): Promise<AiSdkEmbedder> {
    const handler: Answering =
      typeof answer === 'function' ? (answer as Answering) : () => ({ body: JSON.stringify(answer) });
    const server = await ProtocolServer.start(handler);
    testServers.push(server);
    return new AiSdkEmbedder(openaiModel(server.url), { dimensions: 2, retry: false, ...options });
  }

  const vectors = (...embeddings: unknown[]): object => ({
    object: 'list',
    model: 'm',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });

  it('uses the batch limit of the model by default', () => {
    const model = openaiModel('http://localhost:1');
    expect(new AiSdkEmbedder(model, { dimensions: 2 }).maxBatch).toBe(2048);
    expect(new AiSdkEmbedder(model, { dimensions: 2, maxBatch: 8 }).maxBatch).toBe(8);
  });

  it('sends options of the provider, for queries and documents', async () => {
    const embedder = await embedderFor(vectors([1, 0]), {
      providerOptions: { openai: { dimensions: 2 } },
      queryOptions: { openai: { user: 'query-user' } },
    });
    await embedder.embed(['a'], { task: 'query' });
    await embedder.embed(['a'], { task: 'document' });
    expect(testServers[0]!.requests.map(({ body }) => body)).toMatchObject([
      { input: ['a'], dimensions: 2, user: 'query-user' },
      { input: ['a'], dimensions: 2 },
    ]);
    expect(testServers[0]!.requests[1]!.body).not.toHaveProperty('user');
  });

  it.each([
    [vectors([1, 0]), /returned 1 vectors for 2 texts/],
    [vectors([1, 0], [1]), /vectors of 1 numbers, but dimensions is 2/],
  ])('rejects wrong vectors: %j', async (answer, message) => {
    const embedder = await embedderFor(answer);
    await expect(embedder.embed(['a', 'b'], { task: 'query' })).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      retryable: false,
      message: expect.stringMatching(message),
    });
  });

  it('throws MODEL_AUTH and MODEL_TIMEOUT, as models do', async () => {
    const refused = await embedderFor(() => ({ status: 401, body: JSON.stringify({ error: { message: 'Bad key' } }) }));
    await expect(refused.embed(['a'], { task: 'query' })).rejects.toMatchObject({ code: 'MODEL_AUTH' });
    const silent = await embedderFor(() => ({ ending: 'silence' }), { timeoutMs: 30 });
    await expect(silent.embed(['a'], { task: 'query' })).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
  });

  it('rejects more texts than maxBatch before a request', async () => {
    const embedder = await embedderFor(vectors(), { maxBatch: 1 });
    await expect(embedder.embed(['a', 'b'], { task: 'query' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(testServers[0]!.requests).toEqual([]);
  });

  it.each([
    [undefined, /Options of AiSdkEmbedder/],
    [{}, /dimensions/],
    [{ dimensions: 2, maxBatch: 0 }, /maxBatch/],
    [{ dimensions: 2, queryOptions: { google: 'x' } }, /queryOptions/],
    [{ dimensions: 2, baseUrl: 'http://localhost' }, /no option baseUrl\. Pass it to the AI SDK provider/],
  ])('rejects the options %j', (options, message) => {
    const create = (): unknown => new AiSdkEmbedder(openaiModel('http://localhost:1'), options as AiSdkEmbedderOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
  });

  it('rejects a language model', () => {
    const model = createOpenAI({ apiKey: 'sk-local' }).chat('gpt-4.1') as unknown as AiSdkEmbeddingModel;
    expect(() => new AiSdkEmbedder(model, { dimensions: 2 })).toThrow(/takes an embedding model of an AI SDK provider/);
  });
});
