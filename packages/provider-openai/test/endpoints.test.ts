import type { Content, LlmRequest } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { Answering } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromOpenAiResponse } from '../src/from-openai-response.ts';
import { OpenAi } from '../src/index.ts';
import { endpointOf } from '../src/openai-options.ts';
import { toOpenAiRequest } from '../src/to-openai-request.ts';
import { ask, fixedFetch } from './ask.ts';
import { openAi } from './fixtures/chat-servers.ts';
import { functionCall, message, reasoning, responseOf } from './fixtures/responses-answers.ts';

const azureOf = (host: string) => ({ endpoint: `https://${host}`, apiVersion: 'v1' });

describe('endpointOf', () => {
  it.each([
    [{}, 'openai'],
    [{ baseUrl: 'https://api.openai.com/v1' }, 'openai'],
    [{ baseUrl: 'https://eu.api.openai.com/v1' }, 'openai:eu.api.openai.com'],
    [{ azure: azureOf('hotel.openai.azure.com') }, 'azure:hotel.openai.azure.com'],
    [{ baseUrl: 'https://hotel.services.ai.azure.com/openai/v1' }, 'azure:hotel.services.ai.azure.com'],
    [{ baseUrl: 'https://hotel.cognitiveservices.azure.com/openai/v1' }, 'azure:hotel.cognitiveservices.azure.com'],
    [{ baseUrl: 'https://api.x.ai/v1' }, 'api.x.ai'],
    [{ baseUrl: 'http://gateway.local/v1', provider: 'openai' }, 'openai:gateway.local'],
    [{ baseUrl: 'http://gateway.local/v1', provider: 'groq' }, 'groq:gateway.local'],
  ])('returns the endpoint for %j: %s', (options, name) => {
    expect(endpointOf(options).name).toBe(name);
  });
});

const hello: Content = { role: 'user', parts: [{ text: 'Hi' }] };
const sealed = reasoning(['Hm.'], { encrypted_content: 'gAAA-sealed' });
const call = functionCall('find_rooms', '{}', { call_id: 'call-a', id: 'fc_a' });
const target = { model: 'gpt-5', provider: 'openai', stream: false };

function historyOf(endpointName: string): Content[] {
  const answer = fromOpenAiResponse(responseOf([sealed, call]), { ...target, endpoint: { name: endpointName } });
  const response = {
    role: 'user' as const,
    parts: [{ functionResponse: { id: 'call-a', name: 'find_rooms', response: {} } }],
  };
  return [hello, answer.content!, response];
}

describe('encrypted reasoning', () => {
  it.each([
    ['openai', 'openai', true],
    ['openai', 'azure:hotel.openai.azure.com', false],
    ['azure:hotel.openai.azure.com', 'openai', false],
    ['azure:hotel.openai.azure.com', 'azure:other.openai.azure.com', false],
    ['azure:hotel.openai.azure.com', 'azure:hotel.openai.azure.com', true],
  ])('of the endpoint %s is sent to %s: %s', (origin, receiver, isSent) => {
    const request: LlmRequest = { contents: historyOf(origin), config: {} };
    const body = JSON.stringify(toOpenAiRequest(request, { ...target, endpoint: { name: receiver } }));
    expect(body.includes('gAAA-sealed')).toBe(isSent);
    expect(body.includes('fc_a')).toBe(isSent);
    expect(body).toContain('call-a');
  });

  it.each([false, true])(
    'is left out of a second attempt if the endpoint cannot read it (streamed: %s)',
    async (stream) => {
      const refusal = {
        error: {
          code: 'invalid_encrypted_content',
          type: 'invalid_request_error',
          message: 'The encrypted content gAAA could not be verified.',
        },
      };
      const answer: Answering = ({ body }) =>
        JSON.stringify(body).includes('gAAA-sealed')
          ? { status: 400, body: JSON.stringify(refusal) }
          : { body: JSON.stringify(responseOf([message(['Room 912.'])])) };
      const server = await ProtocolServer.start(answer);
      onTestFinished(() => server.close());
      const warnings: unknown[] = [];
      const logger = { debug() {}, info() {}, warn: (...line: unknown[]) => void warnings.push(line), error() {} };
      const model = new OpenAi({
        model: 'gpt-5',
        apiKey: 'sk-12345',
        baseUrl: `${server.url}/v1`,
        api: 'responses',
        provider: 'openai',
      });
      const host = new URL(server.url).host;
      const request = { contents: historyOf(`openai:${host}`), config: {} };
      for (const _ of [1, 2]) {
        const answers = await Array.fromAsync(
          model.generateContentAsync(request, { stream, signal: new AbortController().signal, logger }),
        );
        expect(answers.at(-1)!.content!.parts![0]!.text).toBe('Room 912.');
      }
      expect(server.requests.length).toBe(4);
      expect(warnings).toEqual([
        [expect.stringContaining('encrypted reasoning'), expect.objectContaining({ model: 'gpt-5' })],
      ]);
    },
  );

  it('is not the reason for a second attempt if the history has none of this endpoint', async () => {
    const refusal = {
      error: { code: 'invalid_encrypted_content', message: 'The encrypted content could not be verified.' },
    };
    const server = await ProtocolServer.start(() => ({ status: 400, body: JSON.stringify(refusal) }));
    onTestFinished(() => server.close());
    const model = new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', baseUrl: `${server.url}/v1`, api: 'responses' });
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(server.requests.length).toBe(1);
  });
});

describe('apiKey as a function', () => {
  it('is called for each request, and its result is sent as a bearer token, also to Azure', async () => {
    let calls = 0;
    const apiKey = async (): Promise<string> => `token-${++calls}-of-entra`;
    const { fetch, requests } = fixedFetch(openAi.whole);
    const azure = new OpenAi({ model: 'm', api: 'chat', apiKey, azure: azureOf('hotel.openai.azure.com'), fetch });
    await ask(azure);
    await ask(azure);
    await ask(new OpenAi({ model: 'm', api: 'chat', apiKey, fetch }));
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(
      [1, 2, 3].map((n) => `Bearer token-${n}-of-entra`),
    );
    expect(requests.map(({ headers }) => headers.get('api-key'))).toEqual([null, null, null]);
  });

  it('throws MODEL_TIMEOUT if the function returns nothing within timeoutMs', async () => {
    let calls = 0;
    const apiKey = (): Promise<string> => (calls++, new Promise(() => {}));
    const model = new OpenAi({ model: 'm', apiKey, timeoutMs: 5 });
    await expect(ask(model)).rejects.toMatchObject({
      code: 'MODEL_TIMEOUT',
      message: expect.stringContaining('apiKey'),
    });
    expect(calls).toBe(1);
  });

  it('throws MODEL_AUTH if the function fails, without keys in the error (contract 42)', async () => {
    const failing = new OpenAi({ model: 'm', apiKey: () => Promise.reject(new Error('no login')) });
    await expect(ask(failing)).rejects.toMatchObject({
      code: 'MODEL_AUTH',
      cause: expect.objectContaining({ message: 'no login' }),
    });
    const server = await ProtocolServer.start(() => ({
      status: 401,
      body: '{"error":{"message":"bad token-of-entra"}}',
    }));
    onTestFinished(() => server.close());
    const refused = new OpenAi({ model: 'm', apiKey: () => 'token-of-entra', baseUrl: `${server.url}/v1` });
    await expect(ask(refused)).rejects.toMatchObject({
      code: 'MODEL_AUTH',
      message: expect.stringContaining('[redacted]'),
    });
  });
});

describe('A text that was cut within a character', () => {
  it.each(['chat', 'responses'] as const)('is sent without a lone surrogate (%s)', async (api) => {
    const { fetch, requests } = fixedFetch(api === 'chat' ? openAi.whole : responseOf([message(['Yes.'])]));
    const request = { contents: [{ role: 'user' as const, parts: [{ text: 'cut \ud83d' }] }] };
    await ask(new OpenAi({ model: 'm', api, apiKey: 'sk-12345', fetch }), { request });
    expect(await requests[0]!.text()).toContain('"cut \ufffd"');
  });
});

describe('request.model', () => {
  it('overrides the model of the constructor, and the deployment if it names another model', async () => {
    const { fetch, requests } = fixedFetch(responseOf([message(['Yes.'])]));
    const azure = { ...azureOf('hotel.openai.azure.com'), deployment: 'our-deployment' };
    const model = new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', azure, fetch });
    await ask(model);
    await ask(model, { request: { model: 'gpt-5' } });
    await ask(model, { request: { model: 'gpt-5-mini' } });
    const bodies = await Promise.all(
      requests.map((each) => each.json() as Promise<{ model: string; include?: string[] }>),
    );
    expect(bodies.map((body) => body.model)).toEqual(['our-deployment', 'our-deployment', 'gpt-5-mini']);
    // The supported settings depend on the model, not on the name of the deployment.
    expect(bodies[0]!.include).toEqual(['reasoning.encrypted_content']);
  });
});
