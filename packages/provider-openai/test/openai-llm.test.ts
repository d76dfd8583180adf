import { inspect } from 'node:util';
import { llmScenarios, FixedRuntime } from '@thole/testing';
import { bytesOf, ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { OpenAi } from '../src/index.ts';
import type { OpenAiOptions } from '../src/index.ts';
import { ask, fixedFetch } from './ask.ts';
import { chatAnswers } from './chat-server.ts';
import { chunk, openAi } from './fixtures/chat-servers.ts';

const servers: ProtocolServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function modelOf(answer: ServerAnswer | Answering, options: Partial<OpenAiOptions> = {}): Promise<OpenAi> {
  const server = await ProtocolServer.start(typeof answer === 'function' ? answer : () => answer);
  servers.push(server);
  return new OpenAi({ model: 'm-1', baseUrl: `${server.url}/v1`, retry: false, ...options });
}

const EVENTS = { 'content-type': 'text/event-stream' };
const streamOf = (...chunks: (object | string)[]): ServerAnswer => ({
  headers: EVENTS,
  body: serverSentEvents(chunks.map((each) => (typeof each === 'string' ? each : { data: each as never }))),
});

describe('new OpenAi', () => {
  it.each([
    ['openai', {}],
    ['azure.ai.openai', { azure: { endpoint: 'https://r.openai.azure.com', apiVersion: 'v1' } }],
    ['localhost:11434', { baseUrl: 'http://localhost:11434/v1' }],
    ['groq', { baseUrl: 'http://localhost:11434/v1', provider: 'groq' }],
  ])('has the name %s in traces', (name, options) => {
    const all = { model: 'm', apiKey: 'sk-12345', ...options } as OpenAiOptions;
    expect(new OpenAi(all).providerName).toBe(name);
  });

  it('names the environment variable if the key is missing', () => {
    expect(() => new OpenAi({ model: 'gpt-5' })).toThrow(/OPENAI_API_KEY/);
    expect(() => OpenAi.fromEnv('gpt-5', { env: {} })).toThrow(/OPENAI_API_KEY/);
    expect(() => OpenAi.fromEnv('gpt-5', { env: { OPENAI_API_KEY: '' } })).toThrow(/OPENAI_API_KEY/);
    const azure = { AZURE_OPENAI_ENDPOINT: 'https://r.openai.azure.com', OPENAI_API_VERSION: 'v1' };
    expect(() => OpenAi.fromEnv('gpt-5', { env: azure, azure: true })).toThrow(/AZURE_OPENAI_API_KEY/);
    for (const missing of ['AZURE_OPENAI_ENDPOINT', 'OPENAI_API_VERSION']) {
      const env = { AZURE_OPENAI_API_KEY: 'key-12345', ...azure, [missing]: undefined };
      expect(() => OpenAi.fromEnv('gpt-5', { env, azure: true })).toThrow(new RegExp(missing));
    }
  });

  it('needs no key with a baseUrl or an authorization header', () => {
    expect(new OpenAi({ model: 'qwen3', baseUrl: 'http://localhost:11434/v1' }).model).toBe('qwen3');
    expect(new OpenAi({ model: 'gpt-5', headers: { authorization: 'Bearer x' } }).model).toBe('gpt-5');
  });

  it.each([
    [{ model: '' }, /model/],
    [{ api: 'completions' }, /'responses' or 'chat'/],
    [{ apikey: 'k' }, /no option apikey/],
    [{ baseUrl: 'localhost' }, /baseUrl/],
    [{ provider: '' }, /provider/],
    [{ azure: { endpoint: 'x', apiVersion: '1' } }, /azure/],
    [{ azure: { endpoint: 'https://r.example', apiVersion: '1' }, baseUrl: 'https://s.example' }, /not both/],
    [{ azure: { endpoint: 'https://r.example', apiVersion: '1', region: 'x' } }, /no option region/],
    [{ retry: { maxAttempts: 0 } }, /maxAttempts/],
  ])('rejects %j', (options, message) => {
    const create = () => new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', ...options } as OpenAiOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
  });
});

describe('the server of OpenAi', () => {
  const whole = { id: 'x', object: 'response', status: 'completed', output: [], model: 'gpt-5' };

  it.each([
    [{ baseUrl: 'https://api.groq.com/openai/v1' }, 'https://api.groq.com/openai/v1/chat/completions'],
    [{ baseUrl: 'https://api.x.ai/v1', api: 'responses' as const }, 'https://api.x.ai/v1/responses'],
    [{ baseUrl: 'https://eu.api.openai.com/v1' }, 'https://eu.api.openai.com/v1/responses'],
    [{ baseUrl: 'https://r.openai.azure.com/openai/v1/' }, 'https://r.openai.azure.com/openai/v1/responses'],
    [{ api: 'chat' as const }, 'https://api.openai.com/v1/chat/completions'],
  ])('with %j is %s', async (options, url) => {
    const answer = url.endsWith('/responses') ? whole : openAi.whole;
    const { fetch, requests } = fixedFetch(answer);
    await ask(new OpenAi({ model: 'm', apiKey: 'sk-12345', fetch, ...options }));
    expect(requests[0]!.url).toBe(url);
  });

  it('is Azure with its address and header, and the name of the deployment', async () => {
    const azure = {
      endpoint: 'https://r.openai.azure.com/',
      apiVersion: '2025-04-01-preview',
      deployment: 'our-deployment',
    };
    const { fetch, requests } = fixedFetch(openAi.whole);
    await ask(new OpenAi({ model: 'gpt-5', apiKey: 'key-12345', azure, api: 'chat', fetch }));
    expect(requests[0]!.url).toBe(
      'https://r.openai.azure.com/openai/deployments/our-deployment/chat/completions?api-version=2025-04-01-preview',
    );
    expect(requests[0]!.headers.get('api-key')).toBe('key-12345');
    expect(requests[0]!.headers.get('authorization')).toBeNull();
    const responses = fixedFetch(whole);
    await ask(new OpenAi({ model: 'gpt-5', apiKey: 'key-12345', azure, fetch: responses.fetch }));
    expect(responses.requests[0]!.url).toBe(
      'https://r.openai.azure.com/openai/responses?api-version=2025-04-01-preview',
    );
    expect(await responses.requests[0]!.json()).toMatchObject({ model: 'our-deployment' });
  });

  it('is read from the environment, and receives no key if there is none', async () => {
    const { fetch, requests } = fixedFetch(openAi.whole);
    await ask(OpenAi.fromEnv('qwen3', { env: { OPENAI_BASE_URL: 'http://localhost:11434/v1' }, fetch }));
    expect(requests[0]!.url).toBe('http://localhost:11434/v1/chat/completions');
    expect(requests[0]!.headers.get('authorization')).toBeNull();
    await ask(
      OpenAi.fromEnv('m', {
        env: { OPENAI_API_KEY: 'sk-env' },
        baseUrl: 'http://localhost:1/v1',
        apiKey: 'sk-own',
        fetch,
      }),
    );
    expect(requests[1]!.headers.get('authorization')).toBe('Bearer sk-own');
  });

  it('receives the authorization header of the caller instead of a key', async () => {
    const { fetch, requests } = fixedFetch(whole);
    await ask(new OpenAi({ model: 'm', headers: { authorization: 'Bearer own' }, fetch }));
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer own');
    const azure = { endpoint: 'https://r.openai.azure.com', apiVersion: '2025-04-01-preview' };
    await ask(new OpenAi({ model: 'm', headers: { Authorization: 'Bearer entra' }, azure, fetch }));
    expect(requests[1]!.headers.get('authorization')).toBe('Bearer entra');
    expect(requests[1]!.headers.get('api-key')).toBeNull();
  });

  it('is named by provider, which selects options and requirements', async () => {
    const { fetch, requests } = fixedFetch(openAi.whole);
    const model = new OpenAi({ model: 'm', baseUrl: 'http://gateway.local/v1', provider: 'openai', fetch });
    await ask(model, { request: { config: { maxOutputTokens: 5 }, providerOptions: { openai: { user: 'u' } } } });
    expect(await requests[0]!.json()).toMatchObject({ max_completion_tokens: 5, user: 'u' });
  });
});

describe('OpenAi with a stream', () => {
  const text = 'Grüße — 部屋 🏨 "quoted"\n';
  const chunks = Array.from(text, (content) => chunk({ content }));

  it.each([
    ['\n', 1],
    ['\n', 3],
    ['\r\n', 1],
    ['\r\n', 7],
  ] as const)('reads lines that end with %j in packets of %i bytes', async (newline, size) => {
    const events = serverSentEvents(
      [...[...chunks, chunk({}, 'stop')].map((data) => ({ data: data as never })), '[DONE]'],
      newline,
    );
    const withComments = events.flatMap((event, i) =>
      i % 5 === 0 ? [`: OPENROUTER PROCESSING${newline}${newline}`, event] : [event],
    );
    const model = await modelOf({ headers: EVENTS, body: bytesOf(withComments.join(''), size) });
    const responses = await ask(model, { stream: true });
    const final = responses.pop()!;
    expect(final.content?.parts).toEqual([{ text }]);
    expect(responses.map(({ content }) => content?.parts?.[0]?.text).join('')).toBe(text);
  });

  it('completes without [DONE], and throws MODEL_INCOMPLETE without a finish reason', async () => {
    const whole = await modelOf(streamOf(chunk({ content: 'Hi' }), chunk({}, 'stop')));
    expect((await ask(whole, { stream: true })).at(-1)?.finishReason).toBe('STOP');
    const cut = await modelOf(streamOf(chunk({ content: 'Hi' }), '[DONE]'));
    await expect(ask(cut, { stream: true })).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    const incomplete = await modelOf({
      headers: EVENTS,
      body: [`data: ${JSON.stringify(chunk({ content: 'Hi' })).slice(0, 40)}`],
    });
    await expect(ask(incomplete, { stream: true })).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('throws an error in the stream and does not try again', async () => {
    const failed = chunk({ content: 'Hi' });
    const model = await modelOf(streamOf(failed, { error: { message: 'worn out', type: 'server_error', code: 503 } }), {
      retry: { maxAttempts: 3 },
    });
    await expect(ask(model, { stream: true })).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
    expect(servers[0]!.requests).toHaveLength(1);
  });

  it('ends a silent stream and its connection at the idle limit', async () => {
    const runtime = new FixedRuntime();
    const model = await modelOf(chatAnswers(llmScenarios['silent-mid-stream']), { runtime, idleTimeoutMs: 5000 });
    const responses = model.generateContentAsync(
      { contents: [], config: {} },
      { stream: true, signal: new AbortController().signal },
    );
    expect((await responses.next()).value).toMatchObject({ partial: true });
    let thrown: unknown;
    responses.next().catch((error: unknown) => (thrown = error));
    const readLater = async () => {
      await runtime.advance(5000);
      return thrown;
    };
    await expect.poll(readLater).toMatchObject({ code: 'MODEL_TIMEOUT', retryable: true });
    await servers[0]!.allEnded();
  });
});

describe('OpenAi with a body that is not an answer', () => {
  it.each([false, true])('names baseUrl for an HTML page with status 200 (streamed: %s)', async (stream) => {
    const model = await modelOf({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Welcome</h1>' });
    await expect(ask(model, { stream })).rejects.toMatchObject({
      code: 'MODEL_PROTOCOL',
      message: expect.stringContaining('baseUrl'),
    });
  });

  it.each([false, true])(
    'tries again after an error in a body with status 200, then throws it (streamed: %s)',
    async (stream) => {
      const body = JSON.stringify({ error: { message: 'Provider returned error', code: 502 } });
      const runtime = new FixedRuntime();
      const model = await modelOf({ body }, { retry: { maxAttempts: 2 }, runtime });
      const result = ask(model, { stream });
      result.catch(() => {});
      const readLater = async () => {
        await runtime.advance(1000);
        return servers[0]!.requests;
      };
      await expect.poll(readLater).toHaveLength(2);
      await expect(result).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    },
  );

  it('accepts a complete answer instead of a stream', async () => {
    const model = await modelOf({ body: JSON.stringify(openAi.whole) });
    const responses = await ask(model, { stream: true });
    expect(responses).toHaveLength(1);
    expect(responses[0]!.content?.parts).toEqual([{ text: 'Hello! How can I assist you today?' }]);
  });

  it('reads JSON with the content type text/plain', async () => {
    const model = await modelOf({ headers: { 'content-type': 'text/plain' }, body: JSON.stringify(openAi.whole) });
    expect((await ask(model))[0]!.finishReason).toBe('STOP');
  });

  it('returns a final response for a prompt that a filter rejected with a status', async () => {
    // https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
    const error = {
      message: 'The prompt triggered the content management policy',
      code: 'content_filter',
      status: 400,
    };
    const model = await modelOf({ status: 400, body: JSON.stringify({ error }) });
    for (const stream of [false, true]) {
      expect(await ask(model, { stream })).toEqual([
        {
          finishReason: 'SAFETY',
          errorCode: 'MODEL_BLOCKED',
          errorMessage: expect.stringContaining('content management'),
        },
      ]);
    }
  });
});

describe('errors of OpenAi', () => {
  it('are retried before the answer begins, after the delay that the server sends', async () => {
    const runtime = new FixedRuntime();
    let calls = 0;
    const refusal: ServerAnswer = {
      status: 429,
      headers: { 'retry-after': '2' },
      body: '{"error":{"message":"slow"}}',
    };
    const model = await modelOf(() => (calls++ === 0 ? refusal : { body: JSON.stringify(openAi.whole) }), {
      retry: { maxAttempts: 2 },
      runtime,
    });
    const result = ask(model);
    await expect.poll(() => runtime.pending).toBeGreaterThan(0);
    const readLater = async () => {
      await runtime.advance(500);
      return calls;
    };
    await expect.poll(readLater).toBe(2);
    expect(runtime.now() - 1_700_000_000).toBeGreaterThanOrEqual(2);
    expect((await result)[0]!.finishReason).toBe('STOP');
  });

  it('never contain the key, the headers or the request', async () => {
    const apiKey = 'sk-very-secret-1234567890';
    const body = JSON.stringify({
      error: { message: `Incorrect API key provided: ${apiKey}`, code: 'invalid_api_key' },
    });
    const model = await modelOf({ status: 401, body }, { apiKey, headers: { 'x-api-token': 'token-98765' } });
    const error: unknown = await ask(model).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'MODEL_AUTH', message: expect.stringContaining('Incorrect API key') });
    const shown = inspect(error, { depth: 10, showHidden: true });
    for (const secret of [apiKey, 'token-98765']) expect(shown).not.toContain(secret);
    const broken = new OpenAi({ model: 'm', apiKey, baseUrl: 'http://127.0.0.1:9/v1', retry: false });
    const unreachable: unknown = await ask(broken).catch((caught: unknown) => caught);
    expect(unreachable).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    expect(inspect(unreachable, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(inspect(broken, { depth: 10, showHidden: true })).not.toContain(apiKey);
  });

  it('of the request are thrown before anything is sent', async () => {
    const { fetch, requests } = fixedFetch(openAi.whole);
    const model = new OpenAi({ model: 'm', baseUrl: 'http://localhost:1/v1', fetch });
    const refused = ask(model, { request: { config: { tools: [{ codeExecution: {} }] } } });
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(requests).toEqual([]);
  });

  it('of an abort are the reason of the caller’s signal', async () => {
    const reason = new Error('enough');
    const model = await modelOf({ ending: 'silence' });
    const abort = new AbortController();
    const result = ask(model, { signal: abort.signal });
    await expect.poll(() => servers[0]!.requests).toHaveLength(1);
    abort.abort(reason);
    await expect(result).rejects.toBe(reason);
    await servers[0]!.allEnded();
  });
});
