import type { JsonObject } from '@thole/core';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { GeminiEmbedder } from '../src/index.ts';
import type { GeminiEmbedderOptions } from '../src/index.ts';
import { answerAsGemini } from './gemini-server.ts';
import { whole, withServer } from './local-gemini.ts';

const options = { apiKey: 'a-local-key', retry: false } as const;

describe('GeminiEmbedder', () => {
  it('sends all texts in one call, each as a separate content, with task and dimensions', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, dimensions: 768 });
      await embedder.embed(['one', 'two'], { task: 'query' });
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents');
      const requestFor = (text: string, taskType: string): JsonObject => ({
        content: { parts: [{ text }] },
        model: 'models/gemini-embedding-001',
        outputDimensionality: 768,
        taskType,
      });
      expect(server.requests[0]?.body).toEqual({
        requests: [requestFor('one', 'RETRIEVAL_QUERY'), requestFor('two', 'RETRIEVAL_QUERY')],
      });
      await embedder.embed(['three'], { task: 'document' });
      expect(server.requests[1]?.body).toEqual({ requests: [requestFor('three', 'RETRIEVAL_DOCUMENT')] });
    }));

  it('returns one vector per text for models that would join strings', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, model: 'gemini-embedding-2-preview' });
      expect(await embedder.embed(['one', 'two', 'three'], { task: 'document' })).toHaveLength(3);
    }));

  it('sends the task to gemini-embedding-2 in the text, without a taskType', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, model: 'gemini-embedding-2' });
      await embedder.embed(['Who sings?'], { task: 'query' });
      await embedder.embed(['Ada sings.'], { task: 'document' });
      const sent = server.requests.map(({ body }) => (body as { requests: JsonObject[] }).requests[0]!);
      expect(sent.map(({ content }) => content)).toEqual([
        { parts: [{ text: 'task: search result | query: Who sings?' }] },
        { parts: [{ text: 'title: none | text: Ada sings.' }] },
      ]);
      expect(sent.every((each) => !('taskType' in each))).toBe(true);
    }));

  it('splits texts with too many tokens into several requests, in order', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, maxBatchTokens: 10 });
      const texts = ['one', 'two', 'a text that has many more tokens than one request takes', 'four'];
      const vectors = await embedder.embed(texts, { task: 'document' });
      expect(server.requests).toHaveLength(3);
      const [four] = await embedder.embed(['four'], { task: 'document' });
      expect(vectors).toHaveLength(4);
      expect(vectors[3]).toEqual(four);
    }));

  it('sends one text per call to Vertex AI, with the method of the model', () =>
    withServer(answerAsGemini, async (server) => {
      for (const [model, method] of [
        ['gemini-embedding-001', 'predict'],
        ['gemini-embedding-2-preview', 'embedContent'],
      ]) {
        const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, vertexai: true, model });
        const vectors = await embedder.embed(['one', 'two'], { task: 'document' });
        expect(vectors.map(({ length }) => length)).toEqual([3072, 3072]);
        const paths = server.requests.splice(0).map(({ path }) => path);
        expect(paths).toEqual(Array.from({ length: 2 }, () => `/v1beta1/publishers/google/models/${model}:${method}`));
      }
      const many = new GeminiEmbedder({
        ...options,
        baseUrl: server.url,
        vertexai: true,
        model: 'text-embedding-005',
        dimensions: 768,
      });
      expect(await many.embed(['one', 'two'], { task: 'query' })).toHaveLength(2);
      expect(server.requests).toHaveLength(1);
    }));

  it('has 3072 dimensions, accepts 100 texts, and normalizes shorter vectors', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url });
      expect(embedder).toMatchObject({
        model: 'gemini-embedding-001',
        dimensions: 3072,
        maxBatch: 100,
        specVersion: 1,
      });
      const [long] = await embedder.embed(['a room with a view'], { task: 'document' });
      expect(Math.hypot(...long!)).toBeGreaterThan(2);
      const short = new GeminiEmbedder({ ...options, baseUrl: server.url, dimensions: 256 });
      const [vector] = await short.embed(['a room with a view'], { task: 'document' });
      expect(vector).toHaveLength(256);
      expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
    }));

  it('makes no call without texts, with too many texts, or with an aborted signal', () =>
    withServer(answerAsGemini, async (server) => {
      const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url });
      expect(await embedder.embed([], { task: 'query' })).toEqual([]);
      const many = Array.from({ length: 101 }, () => 'x');
      await expect(embedder.embed(many, { task: 'query' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      const reason = new Error('enough');
      await expect(embedder.embed(['x'], { task: 'query', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(server.requests).toHaveLength(0);
    }));

  it('closes the connection of a call that is aborted, and rejects with the reason', () =>
    withServer(
      () => ({ ending: 'silence' }),
      async (server) => {
        const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url });
        const abort = new AbortController();
        const reason = new Error('enough');
        const embedding = embedder.embed(['x'], { task: 'query', signal: abort.signal });
        while (server.open === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        abort.abort(reason);
        await expect(embedding).rejects.toBe(reason);
        await server.allEnded(1000);
      },
    ));

  it.each<[string, unknown]>([
    ['too few', { embeddings: [{ values: [1, 2, 3] }] }],
    ['too short', { embeddings: [{ values: [1, 2, 3] }, { values: [1, 2] }] }],
    ['not numbers', { embeddings: [{ values: [1, 2, 3] }, { values: [1, 2, null] }] }],
    ['missing', {}],
  ])('throws EMBEDDER_FAILED if the vectors are %s', async (_, body) => {
    await expect(embedWith(whole(body))).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', retryable: false });
  });

  it.each<[string, ServerAnswer, string]>([
    [
      'a rejected request',
      whole({ error: { code: 400, message: 'Odd.', status: 'INVALID_ARGUMENT' } }, 400),
      'MODEL_BAD_REQUEST',
    ],
    ['too many calls', whole({ error: { code: 429, message: 'Slow down.' } }, 429), 'MODEL_RATE_LIMITED'],
    ['a 500 without a body', { status: 500, body: '' }, 'MODEL_UNAVAILABLE'],
    ['an HTML page', { body: '<html>' }, 'MODEL_PROTOCOL'],
  ])('throws the MODEL_… code for %s', async (_, answer, code) => {
    await expect(embedWith(answer)).rejects.toMatchObject({ code });
  });

  it('ends the other calls if one of several fails on Vertex AI', () =>
    withServer(
      ({ body }) => (JSON.stringify(body).includes('bad') ? { status: 400, body: '{}' } : { ending: 'silence' }),
      async (server) => {
        const embedder = new GeminiEmbedder({ ...options, baseUrl: server.url, vertexai: true });
        await expect(embedder.embed(['a', 'b', 'bad'], { task: 'query' })).rejects.toMatchObject({
          code: 'MODEL_BAD_REQUEST',
        });
        await server.allEnded(1000);
      },
    ));

  it('rejects dimensions that are not an integer ≥ 1', () => {
    for (const dimensions of [0, 1.5, '768'] as number[])
      expect(() => new GeminiEmbedder({ ...options, dimensions } satisfies GeminiEmbedderOptions)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
  });
});

function embedWith(answer: ServerAnswer): Promise<Float32Array[]> {
  return withServer(
    () => answer,
    (server) =>
      new GeminiEmbedder({ ...options, baseUrl: server.url, dimensions: 3 }).embed(['a', 'b'], { task: 'query' }),
  );
}
