import type { ContextCacheOptions, JsonObject } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenAi } from '../src/index.ts';
import type { OpenAiOptions } from '../src/index.ts';
import { ask } from './ask.ts';
import { openAi } from './fixtures/chat-servers.ts';
import { message, responseOf } from './fixtures/responses-answers.ts';

const key = 'a'.repeat(64);

/** Calls a model twice with a hint. Returns the bodies that the server received. */
async function sentWith(
  options: Partial<OpenAiOptions>,
  hint: ContextCacheOptions | undefined,
  p: { refuse?: (body: JsonObject) => ServerAnswer | undefined; providerOptions?: { [name: string]: JsonObject } } = {},
): Promise<JsonObject[]> {
  const answer = options.api === 'responses' ? responseOf([message(['fine'])]) : openAi.whole;
  const server = await ProtocolServer.start(
    ({ body }) => p.refuse?.(body as JsonObject) ?? { body: JSON.stringify(answer) },
  );
  onTestFinished(() => server.close());
  const model = new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', baseUrl: `${server.url}/v1`, ...options });
  const { providerOptions } = p;
  for (const _ of [1, 2])
    await ask(model, { request: { ...(hint && { contextCache: { key, ...hint } }), providerOptions } });
  return server.requests.map(({ body }) => body as JsonObject);
}

describe.each(['responses', 'chat'] as const)('OpenAi with contextCache (%s)', (api) => {
  it('sends the key of the hint as prompt_cache_key', async () => {
    for (const body of await sentWith({ api, provider: 'openai' }, {})) {
      expect(body['prompt_cache_key']).toBe(key);
      expect(body).not.toHaveProperty('prompt_cache_retention');
    }
  });

  it('requests the extended retention for a lifetime over an hour', async () => {
    const [body] = await sentWith({ api, provider: 'openai' }, { ttlSeconds: 3_601 });
    expect(body).toMatchObject({ prompt_cache_key: key, prompt_cache_retention: '24h' });
    expect((await sentWith({ api, provider: 'openai' }, { ttlSeconds: 3_600 }))[0]).not.toHaveProperty(
      'prompt_cache_retention',
    );
  });

  it('prefers the options of the caller', async () => {
    const providerOptions = { openai: { prompt_cache_key: 'given-key', prompt_cache_retention: null } };
    const [body] = await sentWith({ api, provider: 'openai' }, { ttlSeconds: 86_400 }, { providerOptions });
    expect(body!['prompt_cache_key']).toBe('given-key');
    expect(body).not.toHaveProperty('prompt_cache_retention');
  });

  it.each<[string, Partial<OpenAiOptions>, ContextCacheOptions | undefined]>([
    ['without a hint', { provider: 'openai' }, undefined],
    ['to other servers', {}, {}],
  ])('sends no cache setting %s', async (_, options, hint) => {
    const [body] = await sentWith({ api, ...options }, hint);
    expect(Object.keys(body!).filter((name) => name.startsWith('prompt_cache'))).toEqual([]);
  });

  it('sends the request again without a setting that the server rejects', async () => {
    const refuse = (body: JsonObject): ServerAnswer | undefined => {
      const [param] = ['prompt_cache_retention', 'prompt_cache_key'].filter((name) => body[name] !== undefined);
      if (!param) return undefined;
      const error = { message: `Unsupported parameter: ${param}`, type: 'invalid_request_error', param, code: null };
      return { status: 400, body: JSON.stringify({ error }) };
    };
    const bodies = await sentWith({ api, provider: 'openai' }, { ttlSeconds: 86_400 }, { refuse });
    const sent = bodies.map((body) => Object.keys(body).filter((name) => name.startsWith('prompt_cache')));
    expect(sent).toEqual([['prompt_cache_key', 'prompt_cache_retention'], ['prompt_cache_key'], [], []]);
  });
});
