import type { Content, JsonObject } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
import { Gemini } from '../src/index.ts';
import { plainText } from './fixtures/answers.ts';
import { collect, question, whole, withServer } from './local-gemini.ts';

const refusal = (message: string): ServerAnswer =>
  whole({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, 400);

/** Calls a model twice. Its server sends these answers first, then plain ones. */
async function callTwice(answers: ServerAnswer[], contents: (name: string) => Content[], config: JsonObject = {}) {
  const runtime = new FixedRuntime();
  return withServer(
    () => answers.shift() ?? whole(plainText),
    async (server) => {
      const llm = new Gemini({ model: 'gemini-3-pro-preview', apiKey: 'a-local-key', baseUrl: server.url, runtime });
      const request = question({ contents: contents(`gemini:${new URL(server.url).host}`), config });
      const first = await collect(llm, request, false);
      const second = await collect(llm, request, true);
      const bodies = server.requests.map(({ body }) => body as JsonObject);
      return { first, second, bodies, logs: runtime.logs };
    },
  );
}

const signed = (provider: string): Content[] => [
  { role: 'user', parts: [{ text: 'Is there a room?' }] },
  {
    role: 'model',
    parts: [
      { text: 'High floors.', thought: true, partMetadata: { provider } },
      { functionCall: { name: 'find_rooms', args: {} }, thoughtSignature: 'c2ln', partMetadata: { provider } },
    ],
  },
  { role: 'user', parts: [{ functionResponse: { name: 'find_rooms', response: {} } }] },
];

describe('thought signatures', () => {
  it('are not sent to an endpoint that did not make them (contract 17)', async () => {
    for (const other of ['vertex', 'gemini', 'openai']) {
      const { bodies, first } = await callTwice([], () => signed(other));
      expect(first.error).toBeUndefined();
      expect(JSON.stringify(bodies[0])).not.toContain('c2ln');
      expect(JSON.stringify(bodies[0])).not.toContain('High floors.');
    }
  });

  it('are left out of a second attempt if Gemini cannot read them (contract 17)', async () => {
    const { bodies, first, logs } = await callTwice([refusal('Corrupted thought signature.')], signed);
    expect(first.error).toBeUndefined();
    expect(JSON.stringify(bodies[0])).toContain('c2ln');
    expect(JSON.stringify(bodies[1])).not.toContain('c2ln');
    expect(logs).toMatchObject([{ level: 'warn', message: expect.stringContaining('thought signatures') }]);
  });

  it('end the call with MODEL_BAD_REQUEST if they are rejected again', async () => {
    const sentence = 'Unable to submit request because Thought signature is not valid.';
    const { first, bodies } = await callTwice([refusal(sentence), refusal(sentence)], signed);
    expect(first.error).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(bodies.length).toBe(3);
  });
});

describe('an image of an earlier message that Gemini rejects', () => {
  const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' };
  const history: Content[] = [
    { role: 'user', parts: [{ text: 'Is this a room?' }, { inlineData }] },
    { role: 'model', parts: [{ functionCall: { name: 'find_rooms', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'find_rooms', response: {}, parts: [{ inlineData }] } }] },
    { role: 'model', parts: [{ text: 'Yes.' }] },
    { role: 'user', parts: [{ text: 'Is it free?' }] },
  ];

  it('is replaced by its type in a second attempt', async () => {
    const { bodies, first, logs } = await callTwice([refusal('Unable to process input image.')], () => history);
    expect(first.error).toBeUndefined();
    expect(bodies.slice(0, 2).map((body) => JSON.stringify(body).split(inlineData.data).length - 1)).toEqual([2, 0]);
    expect(JSON.stringify(bodies[1]).match(/A file of type image\/png is not shown/g)).toHaveLength(2);
    expect(logs).toMatchObject([{ level: 'warn', fields: { settings: ['files'] } }]);
  });

  it('ends the call if the image is in the newest message', async () => {
    const { first, bodies } = await callTwice([refusal('Unable to process input image.')], () => history.slice(0, 1));
    expect(first.error).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(bodies.length).toBe(2);
  });
});

describe('settings that Gemini rejects', () => {
  const plain = (): Content[] => question().contents as Content[];

  it.each([
    ['Thinking level is not supported for this model.', { thinkingConfig: { thinkingLevel: 'LOW' } }],
    ['Invalid JSON payload received. Unknown name "labels": Cannot find field.', { labels: { team: 'a' } }],
    ['Seed is not enabled for models/gemini-3-pro-preview', { seed: 7 }],
  ])('are left out after "%s", in later calls too, and named in one warning', async (message, config) => {
    const { first, second, bodies, logs } = await callTwice([refusal(message)], plain, { temperature: 1, ...config });
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    const without = { contents: plain(), generationConfig: { temperature: 1 } };
    expect(bodies.slice(1)).toEqual([without, without]);
    expect(logs).toMatchObject([{ level: 'warn', fields: { settings: [expect.any(String)] } }]);
  });

  it('are not left out if they change the answer', async () => {
    const message = 'Invalid JSON payload received. Unknown name "tools": Cannot find field.';
    const { first } = await callTwice([refusal(message)], plain, { tools: [{ googleSearch: {} }] });
    expect(first.error).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });
});

describe('a tool that Gemini rejects', () => {
  it('is named in the error, which only counts it', async () => {
    const message = 'GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].type: bad';
    const functionDeclarations = [{ name: 'find_rooms' }, { name: 'list_apps' }];
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Hi.' }] }];
    const { first } = await callTwice([refusal(message)], () => contents, { tools: [{ functionDeclarations }] });
    expect(first.error).toMatchObject({
      code: 'MODEL_BAD_REQUEST',
      message: expect.stringContaining(
        'tools[0].function_declarations[1] is the tool list_apps: change its parameters',
      ),
    });
  });
});
