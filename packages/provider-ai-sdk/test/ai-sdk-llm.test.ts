import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { getFunctionCalls, textOf } from '@thole/core';
import type { Content, LlmRequest } from '@thole/core';
import { FixedRuntime, llmScenarios } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';
import { afterEach, describe, expect, it } from 'vitest';
import { AiSdkLlm } from '../src/index.ts';
import type { AiSdkLanguageModel, AiSdkLlmOptions } from '../src/index.ts';
import { aiSdkSubjects } from './ai-sdk-server.ts';
import { answerAsAnthropic } from './anthropic-server.ts';
import { ask } from './ask.ts';

const servers: ProtocolServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answer: ServerAnswer | Answering): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(typeof answer === 'function' ? answer : () => answer);
  servers.push(server);
  return server;
}

const text: Answering = ({ body }) => answerAsAnthropic(llmScenarios.text, body);
const claude = ({ url }: ProtocolServer, name = 'claude-sonnet-4-5'): AiSdkLanguageModel =>
  createAnthropic({ baseURL: `${url}/v1`, apiKey: 'sk-local' })(name);
const bodiesOf = ({ requests }: ProtocolServer): string[] => requests.map(({ body }) => JSON.stringify(body));
const anyModel = createAnthropic({ apiKey: 'sk-local' })('claude-sonnet-4-5');

describe('new AiSdkLlm', () => {
  it('returns the name of the model, and OpenTelemetry’s name of its operator', () => {
    const openai = createOpenAI({ apiKey: 'sk-local' });
    const google = createGoogle({ apiKey: 'key-local' });
    const models = [anyModel, openai('gpt-5-mini'), openai.chat('gpt-4.1'), google('gemini-3-flash')];
    expect(models.map((each) => new AiSdkLlm(each)).map(({ model, providerName }) => [model, providerName])).toEqual([
      ['claude-sonnet-4-5', 'anthropic'],
      ['gpt-5-mini', 'openai'],
      ['gpt-4.1', 'openai'],
      ['gemini-3-flash', 'gcp.gemini'],
    ]);
  });

  it.each([
    ['a name', 'anthropic/claude-sonnet-4-5', /got a string\. Create the model with its provider/],
    ['nothing', undefined, /got undefined/],
    ['another object', { modelId: 'm' }, /takes a language model of an AI SDK provider, got an object/],
    ['a model of v2', { ...modelObject('v2') }, /v3 or v4 \(AI SDK 6 or newer\), got v2/],
    ['a model without a name', { ...modelObject('v4'), modelId: '' }, /has no modelId/],
  ])('rejects %s', (_, model, message) => {
    const create = (): AiSdkLlm => new AiSdkLlm(model as unknown as AiSdkLanguageModel);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
  });

  it.each([
    [{ apiKey: 'k-12345' }, /no option apiKey\. Pass it to the AI SDK provider/],
    [{ timeoutMS: 1 }, /no option timeoutMS/],
    [{ timeoutMs: -1 }, /timeoutMs/],
    [{ retry: { maxAttempts: 0 } }, /maxAttempts/],
    [{ providerOptions: { anthropic: 1 } }, /providerOptions/],
    [{ providerTools: [{ id: 'anthropic.web_search_20250305' }] }, /providerTools\[0\]/],
    [{ endpoint: '' }, /endpoint/],
    [{ models: 'claude' }, /models/],
  ])('rejects the options %j', (options, message) => {
    const create = (): AiSdkLlm => new AiSdkLlm(anyModel, options as unknown as AiSdkLlmOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
  });
});

describe('An image of an earlier message that the server rejects', () => {
  it('is replaced by its type in a second attempt', async () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' };
    const error = { type: 'invalid_request_error', message: 'Could not process image' };
    const server = await serve((request) =>
      JSON.stringify(request.body).includes(inlineData.data)
        ? { status: 400, body: JSON.stringify({ type: 'error', error }) }
        : text(request),
    );
    const contents: Content[] = [
      { role: 'user', parts: [{ inlineData }] },
      { role: 'model', parts: [{ text: 'No.' }] },
      { role: 'user', parts: [{ text: 'Hi' }] },
    ];
    await ask(new AiSdkLlm(claude(server)), { request: { contents } });
    expect(bodiesOf(server)[1]).toContain('A file of type image/png is not shown');
  });
});

describe('A text that was cut within a character', () => {
  it('is sent without a lone surrogate', async () => {
    const server = await serve(text);
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'cut \ud83d' }] }];
    await ask(new AiSdkLlm(claude(server)), { request: { contents } });
    expect(bodiesOf(server)[0]).toContain('"cut \ufffd"');
  });
});

describe('request.model', () => {
  it('is rejected before a request if it names another model and there is no option models', async () => {
    const server = await serve(text);
    const result = ask(new AiSdkLlm(claude(server)), { request: { model: 'claude-opus-4-5' } });
    await expect(result).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/option models/),
    });
    expect(server.requests).toEqual([]);
  });
});

describe('files', () => {
  const video = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } };

  it('become a line of text in earlier messages for models that reject them', async () => {
    const server = await serve(text);
    const models = (name: string): AiSdkLanguageModel => claude(server, name);
    const llm = new AiSdkLlm(claude(server), { models });
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'See.' }, video] },
      { role: 'model', parts: [{ text: 'I see.' }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    for (const model of [undefined, 'claude-opus-4-5']) await ask(llm, { request: { model, contents } });
    const line = '[A file of type video/mp4 is not shown: this model cannot read it.]';
    expect(bodiesOf(server).map((body) => [body.includes(line), body.includes('AAAA')])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

describe('warnings', () => {
  const config = {
    seed: 7,
    labels: { team: 'front' },
    safetySettings: [{ category: 'X' }],
    thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
  };

  it.each([false, true])('name all left-out settings in one line, once (stream: %s)', async (stream) => {
    const server = await serve(text);
    const { logger, logs } = new FixedRuntime();
    const llm = new AiSdkLlm(claude(server));
    for (const _ of [1, 2]) await ask(llm, { stream, logger, request: { config } });
    expect(logs).toEqual([
      {
        level: 'warn',
        message: 'settings that the model does not accept are left out',
        fields: {
          model: 'claude-sonnet-4-5',
          provider: 'anthropic',
          settings: [
            ...['safetySettings', 'labels', 'thinkingConfig.thinkingBudget', 'thinkingConfig.includeThoughts'],
            'seed',
          ],
        },
      },
    ]);
  });

  it('name the thinking level for a model of v3, which does not have it', async () => {
    const server = await serve(text);
    const { logger, logs } = new FixedRuntime();
    const model = aiSdkSubjects['anthropic-v3'].model(server.url, llmScenarios.text)();
    const request = { config: { thinkingConfig: { thinkingLevel: 'HIGH' } } };
    await ask(new AiSdkLlm(model), { logger, request });
    await ask(new AiSdkLlm(claude(server)), { logger, request });
    expect(logs.map(({ fields }) => fields?.['settings'])).toEqual([['thinkingConfig.thinkingLevel']]);
  });

  it('never quote the prompt', async () => {
    const server = await aiSdkSubjects.responses.start(llmScenarios.text);
    servers.push(server);
    const { logger, logs } = new FixedRuntime();
    const thought = { text: 'my-secret-thought', thought: true, partMetadata: { provider: 'ai-sdk:openai.responses' } };
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [thought, { text: 'Hello' }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    const model = aiSdkSubjects.responses.model(server.url, llmScenarios.text)();
    await ask(new AiSdkLlm(model), { logger, request: { contents } });
    expect(logs.map(({ fields }) => fields?.['settings'])).toEqual([['a part of the request']]);
  });
});

describe('time limits', () => {
  it.each([false, true])('end a call without an answer with MODEL_TIMEOUT, once (stream: %s)', async (stream) => {
    const server = await serve({ ending: 'silence' });
    const runtime = new FixedRuntime();
    const llm = new AiSdkLlm(claude(server), { runtime, timeoutMs: 30 });
    const failed = expect(ask(llm, { stream })).rejects.toMatchObject({ code: 'MODEL_TIMEOUT', retryable: true });
    await expect.poll(() => server.requests.length).toBe(1);
    await runtime.advance(30);
    await failed;
    expect(server.requests.length).toBe(1);
    await server.allEnded();
  });

  it('end a stream that is silent for idleTimeoutMs and close its connection', async () => {
    const server = await serve(({ body }) => answerAsAnthropic(llmScenarios['silent-mid-stream'], body));
    const llm = new AiSdkLlm(claude(server), { idleTimeoutMs: 30 });
    await expect(ask(llm, { stream: true })).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
    expect(server.requests.length).toBe(1);
    await server.allEnded();
  });

  it('do not apply while the caller processes a response', async () => {
    const server = await serve(({ body }) => answerAsAnthropic(llmScenarios.stream, body));
    const runtime = new FixedRuntime();
    const llm = new AiSdkLlm(claude(server), { runtime, idleTimeoutMs: 1000 });
    const request: LlmRequest = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], config: {} };
    let last = '';
    const { signal } = new AbortController();
    for await (const { content } of llm.generateContentAsync(request, { stream: true, signal })) {
      await runtime.advance(5000);
      last = textOf(content);
    }
    expect(last).toBe(llmScenarios.stream.pieces!.join(''));
  });
});

describe('abort', () => {
  it('ends a stream with the reason even if the model ignores the signal', async () => {
    const model = { ...modelObject('v4'), doStream: async () => ({ stream: new ReadableStream({}) }) };
    const abort = new AbortController();
    const reason = new Error('enough');
    const result = ask(new AiSdkLlm(model as unknown as AiSdkLanguageModel), { stream: true, signal: abort.signal });
    await Promise.resolve();
    abort.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});

describe('retries', () => {
  const overloaded: ServerAnswer = {
    status: 529,
    headers: { 'retry-after-ms': '1' },
    body: JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  };

  it('repeat a request after a temporary rejection', async () => {
    let count = 0;
    const server = await serve((request) => (++count < 3 ? overloaded : text(request)));
    const [final] = await ask(new AiSdkLlm(claude(server)));
    expect(textOf(final?.content)).toBe('The harbour hotel has a room.');
    expect(server.requests.length).toBe(3);
  });

  it('never repeat an answer that ends early', async () => {
    const server = await serve({ body: ['{"id": "msg_1", "type": "mess'], ending: 'cut' });
    const result = ask(new AiSdkLlm(claude(server)));
    await expect(result).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    expect(server.requests.length).toBe(1);
  });

  it('report a server that cannot be reached as MODEL_UNAVAILABLE', async () => {
    const stopped = await ProtocolServer.start(text);
    const model = claude(stopped);
    await stopped.close();
    const result = ask(new AiSdkLlm(model, { retry: false }));
    await expect(result).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
  });

  it('report an HTML page instead of an answer as MODEL_PROTOCOL', async () => {
    const server = await serve({ headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' });
    const result = ask(new AiSdkLlm(claude(server)));
    await expect(result).rejects.toMatchObject({ code: 'MODEL_PROTOCOL' });
    expect(server.requests.length).toBe(1);
  });
});

describe('a request that a content filter rejects', () => {
  it('is a blocked answer, not an error', async () => {
    const body = JSON.stringify({ error: { code: 'content_filter', message: 'The prompt was filtered.' } });
    const server = await serve({ status: 400, headers: { 'content-type': 'application/json' }, body });
    const model = createOpenAI({ baseURL: server.url, apiKey: 'sk-local' }).chat('gpt-4.1');
    for (const stream of [false, true]) {
      expect(await ask(new AiSdkLlm(model), { stream })).toEqual([
        {
          finishReason: 'SAFETY',
          errorCode: 'MODEL_BLOCKED',
          errorMessage: expect.stringContaining('The prompt was filtered.'),
        },
      ]);
    }
    expect(server.requests).toHaveLength(2);
  });
});

describe('streams that end early', () => {
  it('throw MODEL_INCOMPLETE, and calls in them do not run', async () => {
    const server = await serve(({ body }) => {
      const answer = answerAsAnthropic(llmScenarios['text-then-call'], body);
      return { ...answer, body: (answer.body as readonly string[]).slice(0, -2) };
    });
    const result = ask(new AiSdkLlm(claude(server)), { stream: true });
    await expect(result).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('throw the code of an error that the server sends in the stream', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const server = await serve(({ body }) => {
      const answer = answerAsAnthropic(llmScenarios['error-mid-stream'], body);
      const events = [...(answer.body as readonly string[]), ...serverSentEvents([{ event: 'error', data: error }])];
      return { ...answer, body: events, ending: 'end' };
    });
    const result = ask(new AiSdkLlm(claude(server)), { stream: true });
    await expect(result).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
  });
});

describe('a model that breaks its interface', () => {
  const llm = (methods: object): AiSdkLlm =>
    new AiSdkLlm({ ...modelObject('v4'), ...methods } as unknown as AiSdkLanguageModel, { retry: false });
  const streamOf = (...parts: unknown[]): object => ({ stream: ReadableStream.from(parts) });

  it.each([undefined, 'text', {}, { content: 'text' }])('throws MODEL_PROTOCOL for the result %j', async (result) => {
    const brokenModel = llm({ doGenerate: async () => result, doStream: async () => result });
    for (const stream of [false, true])
      await expect(ask(brokenModel, { stream })).rejects.toMatchObject({ code: 'MODEL_PROTOCOL' });
  });

  it('does not return text, calls or tokens of wrong types', async () => {
    const content = [null, 'text', { type: 'text', text: 7 }, { type: 'reasoning' }, { type: 'file', data: 7 }, {}];
    const end = { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: '7' }, outputTokens: null } };
    const warnings = [null, 'x'];
    const brokenModel = llm({
      doGenerate: async () => ({ content, ...end, warnings, response: 'x', providerMetadata: 'x' }),
      doStream: async () =>
        streamOf(
          { type: 'stream-start', warnings },
          ...content,
          { type: 'text-delta', id: {}, delta: 7 },
          { type: 'finish', ...end },
        ),
    });
    for (const stream of [false, true]) expect(await ask(brokenModel, { stream })).toEqual([{ finishReason: 'STOP' }]);
  });
});

describe('encrypted reasoning', () => {
  const { encryptedReasoning } = llmScenarios.encrypted;

  async function historyOf(endpoint?: string): Promise<Content[]> {
    const server = await serve(({ body }) => answerAsAnthropic(llmScenarios.encrypted, body));
    const [final] = await ask(new AiSdkLlm(claude(server), { endpoint }));
    const answer = { functionResponse: { id: 'call-a', name: 'find_rooms', response: { free: true } } };
    return [
      { role: 'user', parts: [{ text: 'Is there a room?' }] },
      final!.content!,
      { role: 'user', parts: [answer] },
    ];
  }

  it('is sent back only to its own provider, like its thoughts', async () => {
    const contents = await historyOf();
    const sameProvider = await serve(text);
    await ask(new AiSdkLlm(claude(sameProvider)), { request: { contents } });
    const otherProvider = await serve(({ body }) => answerAsAnthropic(llmScenarios.text, body));
    const openai = createOpenAI({ baseURL: `${otherProvider.url}/v1`, apiKey: 'sk-local' });
    await ask(new AiSdkLlm(openai.chat('gpt-4.1')), { request: { contents } }).catch(() => []);
    expect(bodiesOf(sameProvider)[0]).toContain(encryptedReasoning);
    expect(bodiesOf(sameProvider)[0]).toContain('High floors.');
    expect(bodiesOf(otherProvider)[0]).toContain('find_rooms');
    expect(bodiesOf(otherProvider)[0]).not.toContain(encryptedReasoning);
    expect(bodiesOf(otherProvider)[0]).not.toContain('High floors.');
  });

  it('is not sent to a model of another provider that the option models returns', async () => {
    const contents = await historyOf();
    const server = await serve(({ body }) => answerAsAnthropic(llmScenarios.text, body));
    const openai = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-local' });
    const llm = new AiSdkLlm(anyModel, { models: (name) => openai.chat(name), retry: false });
    await ask(llm, { request: { model: 'gpt-4.1', contents } }).catch(() => []);
    expect(bodiesOf(server).map((body) => [body.includes('find_rooms'), body.includes(encryptedReasoning!)])).toEqual([
      [true, false],
    ]);
  });

  it('is sent back only to the account that endpoint names', async () => {
    const contents = await historyOf('account-a');
    const server = await serve(text);
    for (const endpoint of ['account-a', 'account-b'])
      await ask(new AiSdkLlm(claude(server), { endpoint }), { request: { contents } });
    expect(bodiesOf(server).map((body) => body.includes(encryptedReasoning!))).toEqual([true, false]);
  });

  it('is left out with a warning if the provider cannot read it', async () => {
    const contents = await historyOf();
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    const server = await serve((request) =>
      JSON.stringify(request.body).includes(encryptedReasoning!)
        ? { status: 400, body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }) }
        : text(request),
    );
    const { logger, logs } = new FixedRuntime();
    const [final] = await ask(new AiSdkLlm(claude(server)), { logger, request: { contents } });
    expect(textOf(final?.content)).toBe('The harbour hotel has a room.');
    expect(server.requests.length).toBe(2);
    expect(logs.map((line) => line.message)).toEqual(['encrypted reasoning that the model cannot read is left out']);
  });
});

describe('content that is not a part', () => {
  const usage = { input_tokens: 1, output_tokens: 2 };
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'harbour hotel' } };
  const found = {
    type: 'web_search_result',
    url: 'https://hotel.example/rooms',
    title: 'Rooms',
    encrypted_content: 'ErADCioIAhgCIiQ',
    page_age: null,
  };
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
      search,
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
      { type: 'text', text: 'There are rooms.' },
    ],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  };
  const providerTools = [{ id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 2 } }] as const;

  it('is sent back in its place: redacted thoughts, and calls that the provider ran itself', async () => {
    const server = await serve({ body: JSON.stringify(answer) });
    const llm = new AiSdkLlm(claude(server), { providerTools });
    const [final] = await ask(llm);
    expect(getFunctionCalls(final!)).toEqual([]);
    expect(final?.groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: 'https://hotel.example/rooms', title: 'Rooms' } }],
    });
    const contents = [{ role: 'user' as const, parts: [{ text: 'Hi' }] }, final!.content!];
    await ask(llm, { request: { contents: [...contents, { role: 'user', parts: [{ text: 'Which?' }] }] } });
    const [, { body }] = server.requests as [unknown, { body: { tools: object[]; messages: { content: object[] }[] } }];
    expect(body.tools).toMatchObject([{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }]);
    expect(body.messages[1]!.content).toMatchObject([
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1' },
      { type: 'text', text: 'There are rooms.' },
    ]);
  });
});

/** Returns a model object that is valid but cannot be called. */
function modelObject(specificationVersion: string): object {
  const unreachable = (): Promise<never> => Promise.reject(new Error('It is not called.'));
  const methods = { doGenerate: unreachable, doStream: unreachable };
  return { specificationVersion, provider: 'local', modelId: 'm-1', supportedUrls: {}, ...methods };
}
