import type { Content, ContextCacheOptions, JsonObject, LlmRequest } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import type { ProtocolServer, ReceivedRequest, ServerAnswer } from '@thole/testing/http';
import { describe, expect, it, vi } from 'vitest';
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

/** Answers as Gemini does. `prompt` is the number of prompt tokens, `refuses` may answer instead. */
function answering(
  prompt: number,
  refuses: (request: ReceivedRequest) => ServerAnswer | undefined = () => undefined,
): (request: ReceivedRequest) => ServerAnswer {
  let caches = 0;
  return (request) => {
    const refused = refuses(request);
    if (refused) return refused;
    if (request.method === 'DELETE') return whole({});
    if (request.path.includes('cachedContents')) return whole({ name: `cachedContents/c${++caches}` });
    const usageMetadata = { promptTokenCount: prompt, totalTokenCount: prompt + 1 };
    const candidate = { content: { role: 'model', parts: [{ text: 'fine' }] }, finishReason: 'STOP' };
    const answer = { candidates: [candidate], usageMetadata };
    return request.path.includes('stream') ? streamed([answer]) : whole(answer);
  };
}

interface Sent {
  what: 'create' | 'delete' | 'ask';
  body: JsonObject;
}
const sentTo = (server: ProtocolServer): Sent[] =>
  server.requests.map(({ method, path, body }) => ({
    what: method === 'DELETE' ? 'delete' : path.includes('cachedContents') ? 'create' : 'ask',
    body: (body ?? {}) as JsonObject,
  }));
const kindsOf = (server: ProtocolServer): string =>
  sentTo(server)
    .map(({ what, body }) => (what === 'ask' && body['cachedContent'] ? 'cached' : what))
    .join(' ');

/** Sends the requests one after the other. */
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
        answering(5_000),
        requests,
        (server) => {
          expect(kindsOf(server)).toBe('ask create cached cached');
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

  it('creates the cache on Vertex AI with the names that it needs there', async () => {
    const options = { vertexai: true, project: 'hotel', location: 'europe-west1' };
    await send(
      answering(5_000),
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

  it('creates a longer one after cacheIntervals uses, and deletes the old one', async () => {
    const requests = [1, 2, 3, 4].map((n) => requestOf(turn(n), { cacheIntervals: 2 }));
    await send(answering(5_000), requests, async (server) => {
      await vi.waitFor(() => expect(kindsOf(server)).toContain('delete'));
      expect(kindsOf(server).replace(' delete', '')).toBe('ask create cached cached create cached');
      expect(server.requests.find(({ method }) => method === 'DELETE')!.path).toBe('/v1beta/cachedContents/c1');
      const created = sentTo(server).filter(({ what }) => what === 'create');
      expect(created[1]!.body['contents']).toEqual(turn(4).slice(0, 6));
    });
  });

  it('creates it again before it expires', async () => {
    const requests = [1, 2, 3].map((n) => requestOf(turn(n), { ttlSeconds: 100 }));
    await send(
      answering(5_000),
      requests,
      (server) => expect(kindsOf(server)).toBe('ask create cached create cached'),
      {
        pauseMs: 95_000,
      },
    );
  });

  it('never leaves the contents empty, and caches no texts before the newest message', async () => {
    const memory = textOf('user', 'Memory of today.');
    const contents = (n: number): Content[] => [...turn(n).slice(0, -1), memory, textOf('user', `q${n}`)];
    await send(answering(5_000), [requestOf(contents(2)), requestOf(contents(2))], (server) => {
      const [, create, ask] = sentTo(server);
      expect(create!.body['contents']).toEqual(turn(2).slice(0, 2));
      expect(ask!.body['contents']).toEqual([memory, textOf('user', 'q2')]);
    });
  });

  it('uses the same cache for all steps of a turn', async () => {
    const step = [
      { role: 'model' as const, parts: [{ functionCall: { id: 'c', name: 'look', args: {} } }] },
      { role: 'user' as const, parts: [{ functionResponse: { id: 'c', name: 'look', response: { found: 1 } } }] },
    ];
    const requests = [requestOf(turn(1)), requestOf(turn(2)), requestOf([...turn(2), ...step])];
    await send(answering(5_000), requests, (server) => {
      expect(kindsOf(server)).toBe('ask create cached cached');
      expect(sentTo(server)[3]!.body['contents']).toHaveLength(3);
    });
  });

  it.each<[string, number, ContextCacheOptions]>([
    ['the prompt is shorter than minTokens', 5_000, { minTokens: 6_000 }],
    ['the prompt is shorter than the minimum of Gemini', 900, {}],
  ])('creates no cache if %s', async (_, prompt, options) => {
    const requests = [1, 2, 3].map((n) => requestOf(turn(n), options));
    await send(answering(prompt), requests, (server) => expect(kindsOf(server)).toBe('ask ask ask'));
  });

  it('creates no cache while the instruction differs in each request', async () => {
    const requests = [1, 2, 3].map((n) => {
      const request = requestOf(turn(n));
      return { ...request, config: { ...request.config, systemInstruction: `It is ${n} o'clock.` } };
    });
    await send(answering(5_000), requests, (server) => expect(kindsOf(server)).toBe('ask ask ask'));
  });

  it('keeps a separate cache for each key', async () => {
    const requests = [1, 2].flatMap((n) => ['a', 'b'].map((key) => requestOf(turn(n), { key })));
    await send(answering(5_000), requests, (server) => {
      expect(kindsOf(server)).toBe('ask ask create cached create cached');
      const asked = sentTo(server).filter(({ what }) => what === 'ask');
      expect(asked.map(({ body }) => body['cachedContent']).slice(2)).toEqual([
        'cachedContents/c1',
        'cachedContents/c2',
      ]);
    });
  });

  it('sends the request without a cache if the creation fails, and warns once', async () => {
    const refuses = ({ path }: ReceivedRequest): ServerAnswer | undefined =>
      path.includes('cachedContents')
        ? whole(refusal(400, 'INVALID_ARGUMENT', 'Cached content is too small.'), 400)
        : undefined;
    const requests = [1, 2, 3, 4, 5].map((n) => requestOf(turn(n), { cacheIntervals: 1 }));
    await send(answering(5_000, refuses), requests, (server, runtime) => {
      expect(kindsOf(server)).toBe('ask create ask ask create ask ask');
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
    const refuses = ({ path }: ReceivedRequest): ServerAnswer | undefined =>
      path.includes('cachedContents') ? whole(refusal(429, 'RESOURCE_EXHAUSTED', 'Slow down.'), 429) : undefined;
    await send(
      answering(5_000, refuses),
      [requestOf(turn(1)), requestOf(turn(2))],
      (server) => expect(kindsOf(server)).toBe('ask create ask'),
      { options: { retry: { maxAttempts: 3 } } },
    );
  });

  it('sends the request again without a cache that the server does not have any more', async () => {
    const message = 'CachedContent not found (or permission denied)';
    const refuses = ({ body }: ReceivedRequest): ServerAnswer | undefined =>
      (body as JsonObject | undefined)?.['cachedContent']
        ? whole(refusal(403, 'PERMISSION_DENIED', message), 403)
        : undefined;
    await send(answering(5_000, refuses), [requestOf(turn(1)), requestOf(turn(2))], (server) => {
      expect(kindsOf(server)).toBe('ask create cached ask');
      expect(sentTo(server)[3]!.body).toMatchObject({ contents: turn(2), tools });
    });
  });

  it('leaves a cache of the caller alone', async () => {
    const requests = [1, 2, 3].map((n) => {
      const request = requestOf(turn(n));
      return { ...request, config: { cachedContent: 'mine' } };
    });
    await send(answering(5_000), requests, (server) => {
      expect(sentTo(server).map(({ body }) => body['cachedContent'])).toEqual(
        requests.map(() => 'cachedContents/mine'),
      );
    });
  });

  it('creates no cache without a hint', async () => {
    const requests = [1, 2, 3].map((n) => ({ ...requestOf(turn(n)), contextCache: undefined }));
    await send(answering(5_000), requests, (server) => expect(kindsOf(server)).toBe('ask ask ask'));
  });
});
