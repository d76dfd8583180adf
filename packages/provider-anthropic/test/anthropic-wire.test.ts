import type { JsonObject, LlmRequest, Logger } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { Anthropic } from '../src/index.ts';
import type { AnthropicOptions } from '../src/index.ts';
import { answerWith } from './anthropic-server.ts';
import { ask, askFinal, hello } from './ask.ts';
import { errorBody, eventsOf, messageOf, USAGE } from './fixtures/messages.ts';

const servers: ProtocolServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Answers the request with this index. */
type Answer = (body: JsonObject, index: number) => ServerAnswer;

async function start(answer: Answer, options: Partial<AnthropicOptions> = {}) {
  let index = 0;
  const server = await ProtocolServer.start(({ body }) => answer(body as JsonObject, index++));
  servers.push(server);
  const bodies = () => server.requests.map(({ body }) => body as JsonObject);
  const llm = new Anthropic({
    model: 'claude-sonnet-5-5',
    apiKey: 'sk-ant-12345',
    baseUrl: server.url,
    retry: false,
    ...options,
  });
  return { server, llm, bodies };
}

const textMessage = (text: string): JsonObject => messageOf([{ type: 'text', text }]);
const refusal = (status: number, type: string, message: string): ServerAnswer => ({
  status,
  body: JSON.stringify(errorBody(type, message)),
});

function createLogger(): { logger: Logger; lines: [string, unknown][] } {
  const lines: [string, unknown][] = [];
  const silent = (): void => {};
  const warn: Logger['warn'] = (message, fields) => void lines.push([message, fields?.['settings']]);
  return { logger: { debug: silent, info: silent, warn, error: silent }, lines };
}

describe('Anthropic', () => {
  it('sends no lone surrogates, which texts that were cut within a character contain', async () => {
    const { llm, bodies } = await start((body) => answerWith(textMessage('Nine.'), body));
    await ask(llm, { contents: [{ role: 'user', parts: [{ text: 'cut \ud83d' }] }], config: {} });
    expect(bodies()[0]!['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'cut \ufffd' }] }]);
  });

  it('sends key, version and beta features as headers', async () => {
    const { llm, server } = await start((body) => answerWith(textMessage('Nine.'), body), {
      headers: { 'x-team': 'hotel' },
    });
    await ask(llm, { ...hello, providerOptions: { anthropic: { betas: ['a-2026', 'b-2026'] } } });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: {
        authorization: 'Bearer sk-ant-12345',
        'anthropic-version': '2026-10-21',
        'anthropic-beta': 'a-2026,b-2026',
        'x-team': 'hotel',
      },
    });
  });

  it('sends the query of baseUrl with each request', async () => {
    const server = await ProtocolServer.start(({ body }) => answerWith(textMessage('Nine.'), body as JsonObject));
    servers.push(server);
    const baseUrl = `${server.url}/claude/?team=hotel&n=1`;
    await ask(new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'k', baseUrl, retry: false }));
    expect(server.requests[0]!.path).toBe('/claude/v1/messages?team=hotel&n=1');
  });

  it('sends sampling settings in the earlier version of the API, which has them', async () => {
    const { llm, server } = await start((body) => answerWith(textMessage('Nine.'), body));
    await ask(llm, { ...hello, config: { temperature: 0.5 } });
    expect(server.requests[0]!.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('sends no key if the caller sets an authorization header', async () => {
    for (const name of ['authorization', 'x-api-key'] as const) {
      const headers = { [name]: 'of-a-gateway' };
      const { llm, server } = await start((body) => answerWith(textMessage('Nine.'), body), {
        apiKey: undefined,
        headers,
      });
      await ask(llm);
      const { authorization, 'x-api-key': key } = server.requests[0]!.headers;
      expect({ authorization, 'x-api-key': key }).toEqual({
        authorization: undefined,
        'x-api-key': undefined,
        ...headers,
      });
    }
  });

  it.each([false, true])('continues a paused answer and returns it as one (stream: %s)', async (stream) => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rooms' } };
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' };
    const paused = messageOf([{ type: 'text', text: 'I search. ' }, use, result], {
      stop_reason: 'pause_turn',
      container,
    });
    const { llm, bodies } = await start((body, index) => answerWith(index === 0 ? paused : textMessage('Nine.'), body));
    const responses = await ask(llm, hello, { stream });
    expect(bodies()[1]).toEqual({
      ...bodies()[0]!,
      container: 'container_1',
      messages: [
        ...(bodies()[0]!['messages'] as JsonObject[]),
        { role: 'assistant', content: [{ type: 'text', text: 'I search. ' }, use, result] },
      ],
    });
    const last = responses.at(-1)!;
    expect(last.content?.parts?.map(({ text }) => text)).toEqual(['I search. ', '', '', 'Nine.']);
    expect(last.finishReason).toBe('STOP');
    expect(last.usageMetadata?.totalTokenCount).toBe(2 * 40);
    expect(responses.filter(({ partial }) => partial).length).toBe(stream ? 2 : 0);
  });

  it('ends an answer that is still paused after 20 requests', async () => {
    const paused = messageOf([{ type: 'text', text: 'x' }], { stop_reason: 'pause_turn' });
    const { llm, bodies } = await start((body) => answerWith(paused, body));
    expect((await askFinal(llm)).finishReason).toBe('pause_turn');
    expect(bodies()).toHaveLength(20);
  });

  it('waits for the delay of retry-after if the server is overloaded', async () => {
    const runtime = new FixedRuntime();
    const { llm, server } = await start(
      (body, index) =>
        index === 0
          ? { ...refusal(529, 'overloaded_error', 'Overloaded'), headers: { 'retry-after': '5' } }
          : answerWith(textMessage('Nine.'), body),
      { retry: undefined, runtime },
    );
    const result = askFinal(llm);
    await expect.poll(() => server.requests.length).toBe(1);
    await expect
      .poll(async () => {
        await runtime.advance(5000);
        return server.requests.length;
      })
      .toBe(2);
    expect((await result).content?.parts).toEqual([{ text: 'Nine.' }]);
  });

  it.each([
    ['temperature', 'temperature: `temperature` is deprecated for this model.', { temperature: 0.5 }],
    ['thinking', 'adaptive thinking is not supported on this model', { thinkingConfig: { includeThoughts: true } }],
    [
      'output_config.effort',
      'This model does not support the effort parameter.',
      { thinkingConfig: { thinkingLevel: 'low' } },
    ],
  ])(
    'sends a request again without %s if the model does not support it; later ones, too',
    async (setting, message, config) => {
      const { logger, lines } = createLogger();
      const { llm, bodies } = await start((body, index) =>
        index === 0 ? refusal(400, 'invalid_request_error', message) : answerWith(textMessage('Nine.'), body),
      );
      await ask(llm, { ...hello, config }, { logger });
      await ask(llm, { ...hello, config }, { logger });
      expect(bodies()).toHaveLength(3);
      const [name, inner] = setting.split('.') as [string, string?];
      const value = (body: JsonObject) => (inner ? (body[name] as JsonObject | undefined)?.[inner] : body[name]);
      expect(bodies().map((body) => value(body) !== undefined)).toEqual([true, false, false]);
      expect(lines).toEqual([['settings that the server refused are left out', [setting]]]);
    },
  );

  it('describes a schema in the instruction for a model without structured outputs', async () => {
    const { llm, bodies } = await start((body, index) =>
      index === 0
        ? refusal(400, 'invalid_request_error', "'claude-x' does not support output format.")
        : answerWith(textMessage('{}'), body),
    );
    const config = { responseJsonSchema: { type: 'object', properties: { berth: { type: 'string' } } } };
    await ask(llm, { ...hello, config });
    expect(bodies()[1]!['output_config']).toBeUndefined();
    expect(bodies()[1]!['system']).toContain('"berth"');
  });

  it('lowers the default limit of tokens to that of the model, but not maxOutputTokens', async () => {
    const { logger, lines } = createLogger();
    const { llm, bodies } = await start((body) => {
      const tokens = body['max_tokens'] as number;
      if (tokens <= 8192) return answerWith(textMessage('Nine.'), body);
      const message = `max_tokens: ${tokens} > 8192, which is the maximum allowed number of output tokens for claude-x`;
      return refusal(400, 'invalid_request_error', message);
    });
    await ask(llm, hello, { logger });
    await ask(llm, hello, { logger });
    expect(bodies().map((body) => body['max_tokens'])).toEqual([32_000, 8192, 8192]);
    expect(lines).toEqual([['maxTokens is lowered to the limit of the model', ['maxTokens']]]);
    const tooMany = { ...hello, config: { maxOutputTokens: 9000 } };
    await expect(ask(llm, tooMany)).rejects.toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it('sends a request again without an image of an earlier message that the server rejects', async () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' };
    const { logger, lines } = createLogger();
    const { llm, bodies } = await start((body) =>
      JSON.stringify(body).includes(inlineData.data)
        ? refusal(400, 'invalid_request_error', 'Could not process image')
        : answerWith(textMessage('Nine.'), body),
    );
    const contents: LlmRequest['contents'] = [
      { role: 'user', parts: [{ inlineData }] },
      { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: {}, parts: [{ inlineData }] } }] },
      { role: 'model', parts: [{ text: 'No.' }] },
      ...hello.contents,
    ];
    await ask(llm, { ...hello, contents }, { logger });
    expect(JSON.stringify(bodies()[1]).match(/A file of type image\/png is not shown/g)).toHaveLength(2);
    expect(lines).toEqual([['files that the server refused are left out', ['files']]]);
    await expect(ask(llm, { ...hello, contents: contents.slice(0, 1) })).rejects.toThrow('Could not process image');
    expect(bodies().length).toBe(3);
  });

  it('sends a request again without thoughts that the model cannot read', async () => {
    const { logger, lines } = createLogger();
    const { llm, bodies, server } = await start((body, index) =>
      index === 0
        ? refusal(400, 'invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block')
        : answerWith(textMessage('Nine.'), body),
    );
    const provider = `anthropic:${new URL(server.url).host}`;
    const thought = { text: 'Hm.', thought: true, thoughtSignature: 'b2xk', partMetadata: { provider } };
    const contents: LlmRequest['contents'] = [
      ...hello.contents,
      { role: 'model', parts: [thought, { text: 'No.' }] },
      ...hello.contents,
    ];
    await ask(llm, { ...hello, contents }, { logger });
    expect(JSON.stringify(bodies()[0])).toContain('b2xk');
    expect(JSON.stringify(bodies()[1])).not.toContain('b2xk');
    expect(lines).toEqual([['thoughts that the model cannot read are left out', [provider]]]);
  });

  it('throws the error of a stream that fails after it has begun', async () => {
    const begun = eventsOf(textMessage('Nine.')).slice(0, 4);
    const events = [...begun, errorBody('overloaded_error', 'Overloaded')];
    const { llm } = await start(() => ({
      headers: { 'content-type': 'text/event-stream' },
      body: serverSentEvents(events.map((data) => ({ event: data['type'] as string, data }))),
    }));
    await expect(ask(llm, hello, { stream: true })).rejects.toMatchObject({
      code: 'MODEL_OVERLOADED',
      retryable: true,
    });
  });

  it('reports a request that the filter rejects as a blocked answer', async () => {
    const { llm } = await start(() =>
      refusal(400, 'invalid_request_error', 'Output blocked by content filtering policy'),
    );
    expect(await ask(llm, hello, { stream: true })).toMatchObject([
      { errorCode: 'MODEL_BLOCKED', finishReason: 'SAFETY' },
    ]);
  });

  it('keeps the text and the tokens of an answer that a filter stops', async () => {
    const message = messageOf(
      [
        { type: 'text', text: 'Nine.' },
        { type: 'tool_use', id: 't1', name: 'look', input: {} },
      ],
      { usage: { input_tokens: 5, output_tokens: 1 } },
    );
    const events = [
      ...eventsOf(message).slice(0, -2),
      errorBody('api_error', 'Output blocked by content filtering policy'),
    ];
    const { llm } = await start(() => ({
      headers: { 'content-type': 'text/event-stream' },
      body: serverSentEvents(events.map((data) => ({ event: data['type'] as string, data }))),
    }));
    const final = await askFinal(llm, hello, { stream: true });
    expect(final).toMatchObject({
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      usageMetadata: { promptTokenCount: 5 },
    });
    expect(final.content?.parts).toEqual([{ text: 'Nine.' }]);
  });

  it('returns the answer if the connection breaks after the last event', async () => {
    const { llm } = await start((body) => ({ ...answerWith(textMessage('Nine.'), body), ending: 'cut' }));
    expect((await askFinal(llm, hello, { stream: true })).content?.parts).toEqual([{ text: 'Nine.' }]);
  });

  it('names an empty body in the error', async () => {
    const { llm } = await start(() => ({ body: '', headers: { 'content-type': 'application/json' } }));
    await expect(ask(llm)).rejects.toThrow('the body is not a message: it is empty.');
  });

  it.each([['a complete message instead of a stream', true, JSON.stringify(textMessage('Nine.')), 'application/json']])(
    'reads %s',
    async (_, stream, body, type) => {
      const { llm } = await start(() => ({ body, headers: { 'content-type': type } }));
      expect((await askFinal(llm, hello, { stream })).content?.parts).toEqual([{ text: 'Nine.' }]);
    },
  );

  it.each([false, true])('throws MODEL_PROTOCOL for an HTML page (stream: %s)', async (stream) => {
    const { llm } = await start(() => ({ body: '<html></html>', headers: { 'content-type': 'text/html' } }));
    await expect(ask(llm, hello, { stream })).rejects.toMatchObject({ code: 'MODEL_PROTOCOL' });
  });

  it('closes the connection of a body that does not end when the call is aborted', async () => {
    const { llm, server } = await start(() => ({ body: ['{"type":'], ending: 'silence' }));
    const abort = new AbortController();
    const result = ask(llm, hello, { signal: abort.signal });
    await expect.poll(() => server.open).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    abort.abort();
    await expect(result).rejects.toThrow();
    await server.allEnded();
  });

  it('names the tool in an error that only counts it', async () => {
    const message =
      "tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
    const { llm } = await start(() => refusal(400, 'invalid_request_error', message));
    const properties = { 'filter[name]': { type: 'string' } };
    const list = { name: 'list_apps', parametersJsonSchema: { type: 'object', properties } };
    const config = { tools: [{ functionDeclarations: [{ name: 'book' }, list] }] };
    await expect(ask(llm, { ...hello, config })).rejects.toMatchObject({
      code: 'MODEL_BAD_REQUEST',
      message: expect.stringMatching(/tools\.1 is the tool list_apps: change its parameters or leave it out\.$/),
    });
  });

  it('throws errors without the key', async () => {
    const { llm } = await start(() => refusal(401, 'authentication_error', 'invalid x-api-key sk-ant-12345'));
    const error: unknown = await ask(llm).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_AUTH' });
    expect(JSON.stringify([error, String(error)])).not.toContain('sk-ant-12345');
  });

  it('sends received blocks back unchanged', async () => {
    const blocks: JsonObject[] = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZW5j' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', url: 'https://x' }] },
      { type: 'text', text: 'So.', citations: [{ type: 'web_search_result_location', url: 'https://x' }] },
      { type: 'tool_use', id: 't1', name: 'look', input: { a: 1 } },
    ];
    const message = messageOf(blocks, { stop_reason: 'tool_use', usage: USAGE });
    const { llm, bodies } = await start((body) => answerWith(message, body));
    for (const stream of [false, true]) {
      const { content } = await askFinal(llm, hello, { stream });
      const answer = { functionResponse: { id: 't1', name: 'look', response: { ok: true } } };
      await ask(llm, { ...hello, contents: [...hello.contents, content!, { role: 'user', parts: [answer] }] });
      const sent = bodies().at(-1)!['messages'] as JsonObject[];
      expect(sent[1]).toEqual({ role: 'assistant', content: blocks });
    }
  });
});
