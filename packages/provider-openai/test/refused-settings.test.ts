import type { JsonObject, LlmRequest } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenAi } from '../src/index.ts';
import type { OpenAiOptions } from '../src/index.ts';
import { openAi } from './fixtures/chat-servers.ts';
import { message, responseOf } from './fixtures/responses-answers.ts';

const hello = [{ role: 'user' as const, parts: [{ text: 'Hi' }] }];
const refusal = (text: string, param: string | null = null): ServerAnswer => ({
  status: 400,
  body: JSON.stringify({ error: { message: text, type: 'invalid_request_error', param, code: null } }),
});

/** Calls a model twice. An answer of `refuse` has priority. Returns the received bodies and the logged warnings. */
async function callTwice(
  refuse: (body: JsonObject) => ServerAnswer | undefined,
  request: Partial<LlmRequest>,
  options: Partial<OpenAiOptions> = {},
): Promise<{ bodies: JsonObject[]; warnings: unknown[][] }> {
  const answer = options.api === 'responses' ? responseOf([message(['{}'])]) : openAi.whole;
  const server = await ProtocolServer.start(
    ({ body }) => refuse(body as JsonObject) ?? { body: JSON.stringify(answer) },
  );
  onTestFinished(() => server.close());
  const warnings: unknown[][] = [];
  const logger = { debug() {}, info() {}, warn: (...line: unknown[]) => void warnings.push(line), error() {} };
  const model = new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', baseUrl: `${server.url}/v1`, ...options });
  const fullRequest = { contents: hello, config: {}, ...request };
  for (const _ of [1, 2]) {
    await Array.fromAsync(
      model.generateContentAsync(fullRequest, { stream: false, signal: new AbortController().signal, logger }),
    );
  }
  return { bodies: server.requests.map(({ body }) => body as JsonObject), warnings };
}

describe('an image of an earlier message that the server rejects', () => {
  it.each(['chat', 'responses'] as const)('is replaced by its type in a second attempt (%s)', async (api) => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' };
    const contents = [
      { role: 'user' as const, parts: [{ text: 'Is this a room?' }, { inlineData }] },
      { role: 'model' as const, parts: [{ functionCall: { name: 'look', args: {} } }] },
      {
        role: 'user' as const,
        parts: [{ functionResponse: { name: 'look', response: {}, parts: [{ inlineData }] } }],
      },
      { role: 'model' as const, parts: [{ text: 'Yes.' }] },
      ...hello,
    ];
    const { bodies, warnings } = await callTwice(
      (body) => (JSON.stringify(body).includes(inlineData.data) ? refusal('Invalid image data.') : undefined),
      { contents },
      { api },
    );
    expect(bodies.length).toBe(4);
    expect(JSON.stringify(bodies[1]).match(/A file of type image\/png is not shown/g)).toHaveLength(2);
    expect(warnings.map(([, fields]) => (fields as { settings: unknown }).settings)).toEqual([['files']]);
  });
});

describe('settings that a model is known to reject', () => {
  it('are left out of requests to thinking models of OpenAI, and named in one warning', async () => {
    const config = { temperature: 0.2, topP: 0.5, topK: 3, seed: 1 };
    const { bodies, warnings } = await callTwice(() => undefined, { config }, { api: 'responses', provider: 'openai' });
    expect(bodies.length).toBe(2);
    for (const body of bodies)
      for (const name of ['temperature', 'top_p', 'seed']) expect(body).not.toHaveProperty(name);
    expect(warnings).toEqual([
      [
        expect.any(String),
        expect.objectContaining({ model: 'gpt-5', settings: ['temperature', 'topP', 'topK', 'seed'] }),
      ],
    ]);
  });

  it('are sent to models that accept them, and to a thinking model with thinking off', async () => {
    const config = { temperature: 0.2, thinkingConfig: { thinkingLevel: 'NONE' } };
    const { bodies } = await callTwice(() => undefined, { config }, { api: 'chat', provider: 'openai' });
    expect(bodies[0]).toMatchObject({ temperature: 0.2, reasoning_effort: 'none' });
    const plain = await callTwice(
      () => undefined,
      { config: { temperature: 0.2 } },
      { model: 'gpt-4.1', api: 'chat', provider: 'openai' },
    );
    expect(plain.bodies[0]).toMatchObject({ temperature: 0.2 });
    expect(plain.warnings).toEqual([]);
  });

  it('use Mistral’s name of the seed', async () => {
    const { bodies } = await callTwice(() => undefined, { config: { seed: 7 } }, { api: 'chat', provider: 'mistral' });
    expect(bodies[0]).toMatchObject({ random_seed: 7 });
    expect(bodies[0]).not.toHaveProperty('seed');
  });
});

describe('settings that a server rejects', () => {
  it.each([
    ['top_k', { topK: 3 }, "property 'top_k' is unsupported"],
    ['seed', { seed: 3 }, 'Unknown field: seed'],
    ['temperature', { temperature: 0 }, "Unsupported value: 'temperature' does not support 0 with this model."],
  ])('are left out of later requests: %s', async (name, config, text) => {
    const { bodies, warnings } = await callTwice((body) => (name in body ? refusal(text) : undefined), { config });
    expect(bodies.map((body) => name in body)).toEqual([true, false, false]);
    expect(warnings).toEqual([[expect.stringContaining('refused'), expect.objectContaining({ settings: [name] })]]);
  });

  it('are moved to the instruction if the server rejects json_schema', async () => {
    const responseJsonSchema = { type: 'object', properties: { room: { type: 'string' } } };
    const config = { systemInstruction: 'Be kind.', responseJsonSchema };
    for (const api of ['chat', 'responses'] as const) {
      const isSchema = (body: JsonObject): boolean => JSON.stringify(body).includes('"type":"json_schema"');
      const { bodies } = await callTwice(
        (body) =>
          isSchema(body)
            ? refusal('This response_format type is unavailable now', api === 'chat' ? null : 'text.format')
            : undefined,
        { config },
        { api },
      );
      expect(bodies.map(isSchema)).toEqual([true, false, false]);
      expect(JSON.stringify(bodies[1])).toContain('json_object');
      expect(JSON.stringify(bodies[1])).toMatch(/Be kind\.\\n\\nAnswer only with JSON.*room/);
    }
  });

  it('include encrypted reasoning of a model without reasoning', async () => {
    const { bodies } = await callTwice(
      (body) =>
        'include' in body ? refusal('Encrypted content is not supported with this model.', 'include') : undefined,
      {},
      { api: 'responses', model: 'our-model' },
    );
    expect(bodies.map((body) => 'include' in body)).toEqual([true, false, false]);
  });

  it('cause MODEL_BAD_REQUEST if their value is invalid', async () => {
    const calls = callTwice(() => refusal("Invalid 'temperature': decimal above maximum value.", 'temperature'), {
      config: { temperature: 9 },
    });
    await expect(calls).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });
});
