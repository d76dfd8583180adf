import { InMemorySessionService } from '@thole/mem-services';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { toResponseId } from '../../src/openai/response-id.ts';
import { ask } from '../ask.ts';
import { openAiDemo } from './openai-client.ts';

const user = { role: 'user', content: 'Hello' };
const chat = { model: 'demo', messages: [user] };
const responses = { model: 'demo', input: 'Hello' };

function withContent(content: unknown): object {
  return { model: 'demo', messages: [{ role: 'user', content }] };
}

describe('POST /v1/chat/completions, /v1/responses and /v1/conversations', () => {
  it.each([
    ['/v1/chat/completions', {}],
    ['/v1/chat/completions', { ...chat, model: 7 }],
    ['/v1/chat/completions', { ...chat, messages: 'Hello' }],
    ['/v1/chat/completions', { ...chat, messages: [] }],
    ['/v1/chat/completions', { ...chat, messages: [null] }],
    ['/v1/chat/completions', { ...chat, messages: [{ role: 'root', content: 'Hello' }] }],
    ['/v1/chat/completions', { ...chat, messages: [{ role: 'system', content: 'Hello' }] }],
    ['/v1/chat/completions', { ...chat, messages: [user, { role: 'assistant', content: 'Hi' }] }],
    [
      '/v1/chat/completions',
      { ...chat, messages: [user, { role: 'assistant', content: 'Hi' }, { role: 'system', content: 'Go on' }] },
    ],
    ['/v1/chat/completions', withContent('')],
    ['/v1/chat/completions', withContent([])],
    ['/v1/chat/completions', withContent({ text: 'Hello' })],
    ['/v1/chat/completions', withContent([null])],
    ['/v1/chat/completions', withContent([{ type: 'text', text: 7 }])],
    ['/v1/chat/completions', withContent([{ type: 'thing' }])],
    ['/v1/chat/completions', withContent([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])],
    ['/v1/chat/completions', withContent([{ type: 'image_url', image_url: { url: 'gs://bucket/secret.png' } }])],
    ['/v1/chat/completions', withContent([{ type: 'image_url', image_url: { url: 'data:image/png;base64,?' } }])],
    ['/v1/chat/completions', withContent([{ type: 'image_url', image_url: 'data:image/svg+xml,<svg/>' }])],
    ['/v1/chat/completions', withContent([{ type: 'file', file: { file_id: 'file-1' } }])],
    ['/v1/chat/completions', { ...chat, user: { $gt: '' } }],
    ['/v1/chat/completions', { ...chat, user: '\u0000' }],
    ['/v1/chat/completions', { ...chat, metadata: { session_id: '\u0000' } }],
    ['/v1/chat/completions', { ...chat, metadata: { session_id: 'x'.repeat(600) } }],
    ['/v1/chat/completions', { ...chat, tools: [{ type: 'function', function: { name: 'a' } }] }],
    ['/v1/chat/completions', { ...chat, functions: [{ name: 'a' }] }],
    ['/v1/chat/completions', { ...chat, n: 2 }],
    ['/v1/chat/completions', { ...chat, logprobs: true }],
    ['/v1/chat/completions', { ...chat, response_format: { type: 'json_object' } }],
    ['/v1/chat/completions', { ...chat, modalities: ['audio'] }],
    ['/v1/responses', { model: 'demo' }],
    ['/v1/responses', { ...responses, input: '' }],
    ['/v1/responses', { ...responses, input: [7] }],
    ['/v1/responses', { ...responses, input: [{ type: 'item_reference' }, { role: 'user', content: 'Hello' }] }],
    ['/v1/responses', { ...responses, input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['/v1/responses', { ...responses, input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['/v1/responses', { ...responses, conversation: 7 }],
    ['/v1/responses', { ...responses, conversation: { id: '\ud800' } }],
    ['/v1/responses', { ...responses, conversation: 'a', previous_response_id: 'resp_1' }],
    ['/v1/responses', { ...responses, tools: [{ type: 'web_search' }] }],
    ['/v1/responses', { ...responses, text: { format: { type: 'json_schema' } } }],
    ['/v1/responses', { ...responses, background: true }],
    ['/v1/responses', '{'],
    ['/v1/conversations', { items: 'Hello' }],
    ['/v1/conversations', { items: [7] }],
    ['/v1/conversations', { items: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['/v1/conversations', { items: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['/v1/conversations', { items: Array.from({ length: 21 }, () => user) }],
    ['/v1/conversations', { metadata: 'a' }],
    ['/v1/conversations', { metadata: { a: 1 } }],
    ['/v1/conversations', { metadata: { a: 'x'.repeat(513) } }],
    ['/v1/conversations', { metadata: { ['x'.repeat(65)]: 'a' } }],
    ['/v1/conversations', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, 'a'])) }],
    ['/v1/conversations', '{'],
  ])('rejects a wrong request in the shape of OpenAI and stores nothing: %s %j', async (path, body) => {
    const { handler, sessionIds, requests } = openAiDemo();
    const answer = await ask(handler, 'POST', path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' });
    expect([await sessionIds(), requests]).toEqual([[], []]);
  });

  it.each([
    ['GET', '/v1/files', 404, 'NOT_FOUND'],
    ['POST', '/v1/embeddings', 404, 'NOT_FOUND'],
    ['POST', '/v1/chat/completions/', 404, 'NOT_FOUND'],
    ['GET', '/v1/chat/completions', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/models/demo', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/models/%ff', 400, 'INVALID_INPUT'],
  ])('answers in the shape of OpenAI if there is no such route: %s %s', async (method, path, status, code) => {
    for (const basePath of ['', '/api']) {
      const { handler } = openAiDemo({ basePath });
      const answer = await ask(handler, method, basePath + path);
      const error = { message: expect.any(String), type: 'invalid_request_error', param: null, code };
      expect([answer.status, answer.body]).toEqual([status, { error }]);
    }
  });

  it('says what the content of a message must be', async () => {
    const { handler } = openAiDemo();
    const { body } = await ask(handler, 'POST', '/v1/chat/completions', withContent({ text: 'Hello' }));
    expect(body.error.message).toBe('messages[0].content must be a string or a list of parts.');
  });

  it('names the parameter that is not supported', async () => {
    const { handler } = openAiDemo();
    const { body } = await ask(handler, 'POST', '/v1/chat/completions', { ...chat, n: 3 });
    expect(body.error).toMatchObject({
      message: 'The parameter n is not supported with this value: the agent has its own settings. Remove it.',
      param: 'n',
      code: 'unsupported_parameter',
    });
  });

  it('accepts parameters of models and ignores them', async () => {
    const { client } = openAiDemo({ answers: [says('Good day.')] });
    const ignored = { temperature: 2, top_p: 0.1, max_tokens: 1, stop: ['.'], seed: 1, tools: [], n: 1 };
    const completion = await client.chat.completions.create({
      ...ignored,
      model: 'demo',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(completion.choices[0]!.message.content).toBe('Good day.');
  });

  it.each([
    ['/v1/chat/completions', chat],
    ['/v1/responses', responses],
  ])('answers 404 for a model that is not an app: %s', async (path, body) => {
    const { handler } = openAiDemo();
    for (const model of ['gpt-7', '__proto__', 'x'.repeat(10_000)]) {
      const answer = await ask(handler, 'POST', path, { ...body, model });
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        404,
        'model_not_found',
        'model',
      ]);
    }
  });

  it('answers 413 for a body over the limit', async () => {
    const { handler } = openAiDemo({ limits: { bodyBytes: 1_000 } });
    const answer = await ask(handler, 'POST', '/v1/responses', { ...responses, input: 'x'.repeat(2_000) });
    expect([answer.status, answer.body.error.type]).toEqual([413, 'invalid_request_error']);
  });

  it('rejects deep nesting in a message', async () => {
    const { handler } = openAiDemo();
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"model":"demo","messages":[{"role":"user","content":${deep}}]}`;
    expect((await ask(handler, 'POST', '/v1/chat/completions', body)).status).toBe(400);
  });

  it.each([
    'resp_',
    'resp_????',
    'msg_1',
    toResponseId({ sessionId: 'other', invocationId: 'i' }),
    `resp_${btoa('{"a":1}')}`,
    `resp_${btoa('[1,2]')}`,
    'x'.repeat(10_000),
  ])('answers 404 for a previous response that does not exist: %s', async (id) => {
    const { handler } = openAiDemo();
    const { status, body } = await ask(handler, 'POST', '/v1/responses', { ...responses, previous_response_id: id });
    expect([status, body.error.code]).toEqual([404, 'previous_response_not_found']);
  });

  it.each([
    ['GET', 'x', undefined, 404, 'conversation_id'],
    ['GET', '__proto__', undefined, 404, 'conversation_id'],
    ['GET', 'conv_demo_', undefined, 404, 'conversation_id'],
    ['GET', '%00', undefined, 400, null],
    ['GET', 'x'.repeat(600), undefined, 400, null],
    ['GET', 'c?model=other', undefined, 404, 'model'],
    ['GET', 'c?model=', undefined, 400, null],
    ['POST', 'c', {}, 400, null],
    ['POST', 'c', { metadata: { a: null } }, 400, null],
    ['GET', 'c/items?limit=0', undefined, 400, null],
    ['GET', 'c/items?limit=101', undefined, 400, null],
    ['GET', 'c/items?order=up', undefined, 400, null],
    ['GET', 'c/items?after=msg_1', undefined, 400, 'after'],
    ['POST', 'c/items', {}, 400, null],
    ['POST', 'c/items', { items: [user, { type: 'thing' }] }, 400, 'items[1]'],
    ['POST', 'c/items', { items: [user, { role: 'user', content: [{ text: 7 }] }] }, 400, 'items[1].content[0]'],
    ['GET', 'c/items/msg_1', undefined, 404, 'item_id'],
    ['GET', 'c/items/%00', undefined, 404, 'item_id'],
  ])(
    'rejects a wrong request of a conversation and stores nothing: %s %s %j',
    async (method, path, body, status, param) => {
      const { handler, sessions } = openAiDemo();
      const ref = { appName: 'demo', userId: 'user', sessionId: 'c' };
      await sessions.createSession(ref);
      const answer = await ask(handler, method, `/v1/conversations/${path}`, body);
      const error = { message: expect.any(String), type: 'invalid_request_error', param, code: expect.any(String) };
      expect([answer.status, answer.body]).toEqual([status, { error }]);
      expect(await sessions.getSession(ref)).toMatchObject({ events: [], state: {} });
    },
  );

  it('does not continue the response of another user', async () => {
    const { client, requests } = openAiDemo({ answers: [says('Hi Ann.')] });
    const { id, output } = await client.responses.create({ ...responses, user: 'ann' });
    const stolen = client.responses.create({ ...responses, user: 'bob', previous_response_id: id });
    await expect(stolen).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' });
    const input = [
      { type: 'item_reference' as const, id: output[0]!.id! },
      { role: 'user' as const, content: 'Hello' },
    ];
    const referenced = client.responses.create({ model: 'demo', user: 'bob', input });
    await expect(referenced).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' });
    expect(requests).toHaveLength(1);
  });

  it('works with a session service that cannot insert sessions', async () => {
    const service = new InMemorySessionService();
    const sessions = new Proxy(service, {
      get(target, name) {
        if (name === 'insertSession') return undefined;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const { client, requests } = openAiDemo({ answers: [says('Fine.')], sessionService: sessions });
    const messages = [
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Good day.' },
      { role: 'user' as const, content: 'How are you?' },
    ];
    await client.chat.completions.create({ model: 'demo', messages });
    expect(requests[0]!.contents).toHaveLength(3);
  });

  it('leaves no mark of unfinished work in a session with the history of a client', async () => {
    const { client, sessions, sessionIds } = openAiDemo({ answers: [says('Fine.')] });
    const input = [
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Good day.' },
      { role: 'user' as const, content: 'How are you?' },
    ];
    await client.responses.create({ model: 'demo', input });
    const [sessionId] = await sessionIds();
    const stored = await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: sessionId! });
    expect(stored!.marks).toEqual({ unfinished: null, wakeAt: null, openInterrupts: 0 });
  });
});
