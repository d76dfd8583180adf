import type { Content, ContextCacheOptions, JsonObject, LlmRequest } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import type { ProtocolServer, ReceivedRequest, ServerAnswer } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { Gemini } from '../src/index.ts';
import type { GeminiOptions } from '../src/index.ts';
import { refusal } from './gemini-server.ts';
import { collect, streamed, whole, withServer } from './local-gemini.ts';

const textOf = (role: 'user' | 'model', text: string): Content => ({ role, parts: [{ text }] });
/** The contents of the n-th turn: n questions with n - 1 answers. */
const turn = (n: number): Content[] =>
  Array.from({ length: n }, (_, i) => [textOf('user', `q${i + 1}`), textOf('model', `a${i + 1}`)])
    .flat()
    .slice(0, -1);
const tools = [{ functionDeclarations: [{ name: 'look', description: 'Looks.' }] }];
const settings = { systemInstruction: 'Be brief.', tools };

const requestOf = (contents: Content[], hint: ContextCacheOptions & { key?: string } = {}): LlmRequest => ({
  contents,
  config: { ...settings, temperature: 0 },
  contextCache: { key: 'k1', ...hint },
});

/** Returns a handler that answers like Gemini. An answer of `refuse` has priority. */
function answerWith(
  promptTokens: number,
  refuse: (request: ReceivedRequest) => ServerAnswer | undefined = () => undefined,
): (request: ReceivedRequest) => ServerAnswer {
  let caches = 0;
  return (request) => {
    const rejection = refuse(request);
    if (rejection) return rejection;
    if (request.method === 'DELETE') return whole({});
    if (request.path.includes('cachedContents')) return whole({ name: `cachedContents/c${++caches}` });
    const usageMetadata = { promptTokenCount: promptTokens, totalTokenCount: promptTokens + 1 };
    const candidate = { content: { role: 'model', parts: [{ text: 'fine' }] }, finishReason: 'STOP' };
    const answer = { candidates: [candidate], usageMetadata };
    return request.path.includes('stream') ? streamed([answer]) : whole(answer);
  };
}

interface SentRequest {
  kind: 'create' | 'delete' | 'generate';
  body: JsonObject;
}
const sentTo = (server: ProtocolServer): SentRequest[] =>
  server.requests.map(({ method, path, body }) => ({
    kind: method === 'DELETE' ? 'delete' : path.includes('cachedContents') ? 'create' : 'generate',
    body: (body ?? {}) as JsonObject,
  }));
const kindsOf = (server: ProtocolServer): string =>
  sentTo(server)
    .map(({ kind, body }) => (kind === 'generate' && body['cachedContent'] ? 'cached' : kind))
    .join(' ');

/** Sends the requests one after the other, then calls `body`. */
async function send(
  answer: (request: ReceivedRequest) => ServerAnswer,
  requests: readonly LlmRequest[],
  body: (server: ProtocolServer, runtime: FixedRuntime) => void | Promise<void>,
  p: { options?: Partial<GeminiOptions>; stream?: boolean; pauseMs?: number } = {},
): Promise<void> {
  const runtime = new FixedRuntime();
  await withServer(answer, async (server) => {
    const options = { apiKey: 'a-local-key', baseUrl: server.url, retry: false as const, runtime, ...p.options };
    const llm = new Gemini({ model: 'gemini-2.5-flash', ...options });
    for (const request of requests) {
      const { error, responses } = await collect(llm, request, p.stream ?? false);
      expect(error).toBeUndefined();
      expect(responses.at(-1)!.content).toMatchObject({ parts: [{ text: 'fine' }] });
      if (p.pauseMs) await runtime.advance(p.pauseMs);
    }
    await body(server, runtime);
  });
}

describe('Gemini with a context cache', () => {
  it.each([false, true])(
    'creates a cache of the stable beginning at the second request (stream: %s)',
    async (stream) => {
      const requests = [1, 2, 3].map((n) => requestOf(turn(n)));
      await send(
        answerWith(5_000),
        requests,
        (server) => {
          expect(kindsOf(server)).toBe('generate create cached cached');
          const [first, create, second, third] = sentTo(server).map(({ body }) => body);
          const system = { role: 'user', parts: [{ text: 'Be brief.' }] };
          expect(first).toMatchObject({ contents: turn(1), systemInstruction: system, tools });
          expect(create).toEqual({
            ...{ model: 'models/gemini-2.5-flash', ttl: '1800s' },
            ...{ systemInstruction: system, tools, contents: turn(2).slice(0, 2) },
          });
          expect(second).toEqual({
            ...{ cachedContent: 'cachedContents/c1', contents: [textOf('user', 'q2')] },
            generationConfig: { temperature: 0 },
          });
          expect(third!['contents']).toEqual(turn(3).slice(2));
        },
        { stream },
      );
    },
  );

  it('creates a cache on Vertex AI with resource names', async () => {
    const options = { vertexai: true, project: 'hotel', location: 'europe-west1' };
    await send(
      answerWith(5_000),
      [requestOf(turn(1)), requestOf(turn(2), { ttlSeconds: 60 })],
      (server) => {
        const create = server.requests[1]!;
        expect(create.path).toBe('/v1beta1/projects/hotel/locations/europe-west1/cachedContents');
        expect(create.body).toMatchObject({
          model: 'projects/hotel/locations/europe-west1/publishers/google/models/gemini-2.5-flash',
          ttl: '60s',
        });
      },
      { options },
    );
  });

  it('creates a longer cache after cacheIntervals uses, and deletes the old cache', async () => {
    const requests = [1, 2, 3, 4].map((n) => requestOf(turn(n), { cacheIntervals: 2 }));
    await send(answerWith(5_000), requests, async (server) => {
      await expect.poll(() => kindsOf(server)).toContain('delete');
      expect(kindsOf(server).replace(' delete', '')).toBe('generate create cached cached create cached');
      expect(server.requests.find(({ method }) => method === 'DELETE')!.path).toBe('/v1beta/cachedContents/c1');
      const created = sentTo(server).filter(({ kind }) => kind === 'create');
      expect(created[1]!.body['contents']).toEqual(turn(4).slice(0, 6));
    });
  });

  it('creates the cache again before it expires', async () => {
    const requests = [1, 2, 3].map((n) => requestOf(turn(n), { ttlSeconds: 100 }));
    await send(
      answerWith(5_000),
      requests,
      (server) => expect(kindsOf(server)).toBe('generate create cached create cached'),
      {
        pauseMs: 95_000,
      },
    );
  });

  it('never leaves the contents empty, and caches no texts before the newest message', async () => {
    const memory = textOf('user', 'Memory of today.');
    const contents = (n: number): Content[] => [...turn(n).slice(0, -1), memory, textOf('user', `q${n}`)];
    await send(answerWith(5_000), [requestOf(contents(2)), requestOf(contents(2))], (server) => {
      const [, create, generate] = sentTo(server);
      expect(create!.body['contents']).toEqual(turn(2).slice(0, 2));
      expect(generate!.body['contents']).toEqual([memory, textOf('user', 'q2')]);
    });
  });

  it('uses one cache for all steps of a turn', async () => {
    const step = [
      { role: 'model' as const, parts: [{ functionCall: { id: 'c', name: 'look', args: {} } }] },
      { role: 'user' as const, parts: [{ functionResponse: { id: 'c', name: 'look', response: { found: 1 } } }] },
    ];
    const requests = [requestOf(turn(1)), requestOf(turn(2)), requestOf([...turn(2), ...step])];
    await send(answerWith(5_000), requests, (server) => {
      expect(kindsOf(server)).toBe('generate create cached cached');
      expect(sentTo(server)[3]!.body['contents']).toHaveLength(3);
    });
  });

  it.each<[string, number, ContextCacheOptions]>([
    ['the prompt is shorter than minTokens', 5_000, { minTokens: 6_000 }],
    ['the prompt is shorter than the minimum of Gemini', 900, {}],
  ])('creates no cache if %s', async (_, prompt, options) => {
    const requests = [1, 2, 3].map((n) => requestOf(turn(n), options));
    await send(answerWith(prompt), requests, (server) => expect(kindsOf(server)).toBe('generate generate generate'));
  });

  it('creates no cache while the instruction differs in each request', async () => {
    const requests = [1, 2, 3].map((n) => {
      const request = requestOf(turn(n));
      return { ...request, config: { ...request.config, systemInstruction: `It is ${n} o'clock.` } };
    });
    await send(answerWith(5_000), requests, (server) => expect(kindsOf(server)).toBe('generate generate generate'));
  });

  it('keeps a separate cache for each key', async () => {
    const requests = [1, 2].flatMap((n) => ['a', 'b'].map((key) => requestOf(turn(n), { key })));
    await send(answerWith(5_000), requests, (server) => {
      expect(kindsOf(server)).toBe('generate generate create cached create cached');
      const generated = sentTo(server).filter(({ kind }) => kind === 'generate');
      expect(generated.map(({ body }) => body['cachedContent']).slice(2)).toEqual([
        'cachedContents/c1',
        'cachedContents/c2',
      ]);
    });
  });

  it('sends the request without a cache if the creation fails, and warns once', async () => {
    const refuse = ({ path }: ReceivedRequest): ServerAnswer | undefined =>
      path.includes('cachedContents')
        ? whole(refusal(400, 'INVALID_ARGUMENT', 'Cached content is too small.'), 400)
        : undefined;
    const requests = [1, 2, 3, 4, 5].map((n) => requestOf(turn(n), { cacheIntervals: 1 }));
    await send(answerWith(5_000, refuse), requests, (server, runtime) => {
      expect(kindsOf(server)).toBe('generate create generate generate create generate generate');
      const warnings = runtime.logs.filter(({ level }) => level === 'warn');
      expect(warnings).toMatchObject([
        {
          message: 'A context cache was not created. Requests are sent without it.',
          fields: { code: 'MODEL_BAD_REQUEST' },
        },
      ]);
    });
  });

  it('does not wait for retries of a creation that is rate limited', async () => {
    const refuse = ({ path }: ReceivedRequest): ServerAnswer | undefined =>
      path.includes('cachedContents') ? whole(refusal(429, 'RESOURCE_EXHAUSTED', 'Slow down.'), 429) : undefined;
    await send(
      answerWith(5_000, refuse),
      [requestOf(turn(1)), requestOf(turn(2))],
      (server) => expect(kindsOf(server)).toBe('generate create generate'),
      { options: { retry: { maxAttempts: 3 } } },
    );
  });

  it.each([
    [403, 'PERMISSION_DENIED', 'CachedContent not found (or permission denied)'],
    [400, 'INVALID_ARGUMENT', 'Cache content 5842519184192897024 is expired.'],
  ])('sends the request again without a cache that the server rejects with %i', async (status, name, message) => {
    const refuse = ({ body }: ReceivedRequest): ServerAnswer | undefined =>
      (body as JsonObject | undefined)?.['cachedContent'] ? whole(refusal(status, name, message), status) : undefined;
    await send(answerWith(5_000, refuse), [requestOf(turn(1)), requestOf(turn(2))], (server, { logs }) => {
      expect(kindsOf(server)).toBe('generate create cached generate');
      expect(sentTo(server)[3]!.body).toMatchObject({ contents: turn(2), tools });
      expect(logs).toMatchObject([{ level: 'warn', message: expect.stringContaining('a context cache') }]);
    });
  });

  it('creates the cache in the next call if the caller has aborted its creation', async () => {
    const abort = new AbortController();
    const refuse = ({ path }: ReceivedRequest): undefined => {
      if (path.includes('cachedContents')) abort.abort();
    };
    await withServer(answerWith(5_000, refuse), async (server) => {
      const llm = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl: server.url, retry: false });
      await collect(llm, requestOf(turn(1)), false);
      const { signal } = abort;
      const aborted = llm.generateContentAsync(requestOf(turn(2)), { stream: false, signal });
      await expect(Array.fromAsync(aborted)).rejects.toThrow('aborted');
      await collect(llm, requestOf(turn(2)), false);
      expect(kindsOf(server)).toBe('generate create create cached');
    });
  });

  it('keeps the cachedContent of the caller', async () => {
    const requests = [1, 2, 3].map((n) => {
      const request = requestOf(turn(n));
      return { ...request, config: { cachedContent: 'mine' } };
    });
    await send(answerWith(5_000), requests, (server) => {
      expect(sentTo(server).map(({ body }) => body['cachedContent'])).toEqual(
        requests.map(() => 'cachedContents/mine'),
      );
    });
  });

  it('creates no cache without a hint', async () => {
    const requests = [1, 2, 3].map((n) => ({ ...requestOf(turn(n)), contextCache: undefined }));
    await send(answerWith(5_000), requests, (server) => expect(kindsOf(server)).toBe('generate generate generate'));
  });
});
