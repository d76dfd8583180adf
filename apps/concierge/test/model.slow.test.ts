import type { EnvVars, JsonObject } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseModel } from '../src/model.ts';
import type { ChosenModel } from '../src/model.ts';
import { chatWith } from './chat-with.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const choose = (env: EnvVars): ChosenModel => chooseModel({ runtime: new FixedRuntime(), env });

describe('chooseModel', () => {
  it.each<[string, EnvVars, string]>([
    ['DemoLlm where there is no key', {}, 'demo'],
    ['DemoLlm where the keys are empty', { GEMINI_API_KEY: '', OPENAI_API_KEY: ' ', THOLE_MODEL: '' }, 'demo'],
    ['Gemini with its key', { GEMINI_API_KEY: 'key' }, 'gemini-3.8-flash'],
    ['Gemini with Google’s key', { GOOGLE_API_KEY: 'key' }, 'gemini-3.8-flash'],
    ['Gemini on Vertex AI', { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p' }, 'gemini-3.8-flash'],
    ['OpenAI with its key', { OPENAI_API_KEY: 'key' }, 'gpt-5.5'],
    ['OpenAI where a server is named', { OPENAI_BASE_URL: 'http://localhost:1234/v1' }, 'gpt-5.5'],
    ['Gemini where both have keys', { OPENAI_API_KEY: 'key', GEMINI_API_KEY: 'key' }, 'gemini-3.8-flash'],
    ['Claude with its key', { ANTHROPIC_API_KEY: 'key' }, 'claude-sonnet-5-5'],
    ['OpenAI where both have keys', { OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key' }, 'gpt-5.5'],
    ['Claude where THOLE_MODEL names it', { THOLE_MODEL: 'anthropic/claude-x', ANTHROPIC_API_KEY: 'k' }, 'claude-x'],
    ['what THOLE_MODEL names', { THOLE_MODEL: 'gemini/gemini-x', GEMINI_API_KEY: 'key' }, 'gemini-x'],
    [
      'what THOLE_MODEL names, whatever else has a key',
      { THOLE_MODEL: 'openai/o9', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' },
      'o9',
    ],
    [
      'a name with a slash in it',
      { THOLE_MODEL: 'openai/meta/llama-4', OPENAI_BASE_URL: 'http://localhost/v1' },
      'meta/llama-4',
    ],
  ])('returns %s', (_, env, model) => {
    expect(choose(env).llm.model).toBe(model);
  });

  it.each(['gpt-5.5', 'gemini', 'gemini/', '/gpt-5.5', 'mistral/large', 'OpenAI/gpt-5.5', 'constructor/x'])(
    'is none for THOLE_MODEL=%s: the error names the forms',
    (name) => {
      expect(() => choose({ THOLE_MODEL: name, OPENAI_API_KEY: 'key', GEMINI_API_KEY: 'key' })).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          message: 'THOLE_MODEL must be gemini/<name>, openai/<name> or anthropic/<name>.',
        }),
      );
    },
  );

  it.each([
    ['gemini/gemini-x', 'GEMINI_API_KEY'],
    ['openai/o9', 'OPENAI_API_KEY'],
    ['anthropic/claude-x', 'ANTHROPIC_API_KEY'],
  ])('rejects %s without a key and names %s in the error', (name, variable) => {
    expect(() => choose({ THOLE_MODEL: name })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(variable) }),
    );
  });

  it('names the model in the notice', () => {
    expect(choose({ OPENAI_API_KEY: 'key' }).notice).toBe(
      'The model is openai/gpt-5.5. THOLE_MODEL=gemini/<name>, openai/<name> or anthropic/<name> selects another model.',
    );
    expect(choose({}).notice).toMatch(/^The model is DemoLlm, an offline demo model/);
  });
});

const headers = { 'content-type': 'text/event-stream' };

/** Starts a Chat Completions server that calls find_rooms, then answers with the result of the tool. */
async function startChatServer(): Promise<ProtocolServer> {
  const chunk = (delta: JsonObject, finish_reason: string | null = null): { data: JsonObject } => ({
    data: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: 'local',
      choices: [{ index: 0, delta, finish_reason }],
    },
  });
  const call = (args: string): JsonObject => ({ index: 0, function: { arguments: args } });
  return startServer(({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? [
          chunk({ role: 'assistant', content: 'The first is ' }),
          chunk({ content: `${firstRoom(messages.at(-1)!.content as string)}.` }),
          chunk({}, 'stop'),
          '[DONE]',
        ]
      : [
          chunk({
            role: 'assistant',
            tool_calls: [
              { id: 'call_1', type: 'function', ...call(''), function: { name: 'find_rooms', arguments: '' } },
            ],
          }),
          chunk({ tool_calls: [call('{"features":["bal')] }),
          chunk({ tool_calls: [call('cony"]}')] }),
          chunk({}, 'tool_calls'),
          '[DONE]',
        ],
  );
}

/** Starts the same server with Gemini's API. */
async function startGeminiServer(): Promise<ProtocolServer> {
  const chunk = (parts: JsonObject[], finishReason?: string): { data: JsonObject } => ({
    data: {
      candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
      modelVersion: 'local',
    },
  });
  const answerIn = (content: JsonObject | undefined): JsonObject | undefined =>
    (content?.['parts'] as JsonObject[] | undefined)?.find((part) => 'functionResponse' in part);
  return startServer(({ contents }) => {
    const answer = answerIn(contents.at(-1));
    return answer
      ? [chunk([{ text: 'The first is ' }]), chunk([{ text: `${firstRoom(JSON.stringify(answer))}.` }], 'STOP')]
      : [chunk([{ functionCall: { name: 'find_rooms', args: { features: ['balcony'] } } }], 'STOP')];
  });
}

interface ChatRequest {
  messages: JsonObject[];
  contents: JsonObject[];
}

async function startServer(answer: (body: ChatRequest) => ({ data: JsonObject } | string)[]): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(({ body }) => ({
    headers,
    body: serverSentEvents(answer(body as ChatRequest)),
  }));
  onTestFinished(() => server.close());
  return server;
}

const firstRoom = (answer: string): string => /"number\\*":\\*"(\d+)/.exec(answer)?.[1] ?? `nowhere in ${answer}`;

describe('the concierge over HTTP', () => {
  const environments: [string, () => Promise<ProtocolServer>, (url: string) => { [name: string]: string }][] = [
    [
      'Chat Completions',
      startChatServer,
      (url) => ({ THOLE_MODEL: 'openai/local', OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 's3cr3t-key' }),
    ],
    ['Gemini', startGeminiServer, (url) => ({ GEMINI_API_KEY: 's3cr3t-key', GOOGLE_GEMINI_BASE_URL: url })],
  ];

  it.each(environments)('calls the real tools and answers from their results, with %s', async (_, start, envOf) => {
    const server = await start();
    const { type } = chatWith({ llm: choose(envOf(server.url)).llm });
    const output = await type('Is there a room with a balcony?');
    expect(output).toContain('[find_rooms(features: ["balcony"]) → ');
    expect(output).toContain('The first is 201.');
    expect(server.requests.length).toBe(2);
  });

  it('shows the model at the start and never shows the key', async () => {
    const server = await startChatServer();
    const [, , envOf] = environments[0]!;
    const talk = await talkByPipe(lines('Is there a room with a balcony?'), { env: envOf(server.url) });
    expect(talk).toMatchObject({ code: 0, errors: '' });
    expect(talk.output).toMatch(/^Hotel concierge\nThe model is openai\/local\./);
    expect(talk.answers.at(-1)).toBe('The first is 201.');
    expect(talk.output).not.toContain('s3cr3t-key');
  });

  it('shows a rejection on one line without the key and continues', async () => {
    const server = await ProtocolServer.start(() => ({
      status: 401,
      body: '{"error":{"message":"Wrong key: s3cr3t-key"}}',
    }));
    onTestFinished(() => server.close());
    const [, , envOf] = environments[0]!;
    const talk = await talkByPipe(lines('Hello!', '/memory'), { env: envOf(server.url) });
    expect(talk.code).toBe(0);
    expect(talk.output + talk.errors).toContain('MODEL_AUTH');
    expect(talk.output + talk.errors).not.toContain('s3cr3t-key');
  });

  it('exits with 1 and lists valid values for an invalid THOLE_MODEL', async () => {
    const talk = await talkByPipe('', { env: { THOLE_MODEL: 'gpt-5.5' } });
    expect(talk).toMatchObject({ code: 1, output: '' });
    expect(talk.errors.split('\n')[0]).toContain(
      'INVALID_INPUT: THOLE_MODEL must be gemini/<name>, openai/<name> or anthropic/<name>.',
    );
  });
});
