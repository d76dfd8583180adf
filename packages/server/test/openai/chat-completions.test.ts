import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, ParallelAgent } from '@thole/runner';
import type { LlmResponse } from '@thole/core';
import { calls, fails, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import { FunctionTool, jsonSchema } from '@thole/tools';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { clerkWithExpert } from './clerk-with-expert.ts';
import { neverAnswers } from '../demo.ts';
import { openAiDemo, textsOf, messagesOf } from './openai-client.ts';

const hello = { model: 'demo', messages: [{ role: 'user' as const, content: 'Hello' }] };
const history = [
  { role: 'system' as const, content: 'Speak like a pirate.' },
  { role: 'user' as const, content: 'Hello' },
  { role: 'assistant' as const, content: 'Good day.' },
  { role: 'user' as const, content: 'How are you?' },
];
const usage = {
  promptTokenCount: 7,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 2,
  cachedContentTokenCount: 4,
  totalTokenCount: 12,
};

describe('GET /v1/models', () => {
  it('lists the apps and describes one', async () => {
    const { client } = openAiDemo();
    const model = { id: 'demo', object: 'model', created: 0, owned_by: 'thole' };
    expect((await client.models.list()).data).toEqual([model]);
    expect(await client.models.retrieve('demo')).toEqual(model);
    await expect(client.models.retrieve('other')).rejects.toMatchObject({
      ...{ status: 404, code: 'model_not_found' },
      message: expect.stringContaining('GET /v1/models lists them.') as string,
    });
  });

  it('is answered with 403 in the shape of OpenAI if authorize rejects it', async () => {
    const { client } = openAiDemo({ authorize: (_, { action }) => action !== 'read' });
    const error: unknown = await client.models.list().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(error).toMatchObject({ code: 'FORBIDDEN', type: 'permission_error' });
  });
});

describe('POST /v1/chat/completions', () => {
  it('answers with text, finish reason and token counts', async () => {
    const { client } = openAiDemo({ answers: [{ ...says('Good day.'), usageMetadata: usage }] });
    expect(await client.chat.completions.create(hello)).toEqual({
      id: expect.stringMatching(/^chatcmpl-./),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'demo',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Good day.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  it('streams the pieces of an answer once, and the token counts on request', async () => {
    const answer = streams('Good ', 'day.');
    answer.push({ ...answer.pop()!, usageMetadata: usage });
    const { client } = openAiDemo({ answers: [answer] });
    const stream = await client.chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? choice?.finish_reason)).toEqual([
      '',
      'Good ',
      'day.',
      'stop',
      undefined,
    ]);
    expect(chunks.at(-1)!.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('counts the tokens of an agent that runs as a tool, with and without a stream', async () => {
    const expected = { prompt_tokens: 118, completion_tokens: 4, total_tokens: 122 };
    const { usage: counted } = await openAiDemo({ rootAgent: clerkWithExpert() }).client.chat.completions.create(hello);
    expect(counted).toMatchObject(expected);
    const stream = await openAiDemo({ rootAgent: clerkWithExpert() }).client.chat.completions.create({
      ...hello,
      ...{ stream: true, stream_options: { include_usage: true } },
    });
    expect((await Array.fromAsync(stream)).at(-1)!.usage).toMatchObject(expected);
  });

  it('is read by the helper of the SDK that collects a stream', async () => {
    const { client } = openAiDemo({ answers: [streams('Good ', 'day.')] });
    const completion = await client.chat.completions.stream(hello).finalChatCompletion();
    expect(completion.choices[0]!.message.content).toBe('Good day.');
    expect(completion.choices[0]!.finish_reason).toBe('stop');
  });

  it('uses the messages of the client as the history, and stores nothing', async () => {
    const { client, requests, sessionIds } = openAiDemo({ answers: [says('Arr.'), says('Aye.')] });
    await client.chat.completions.create({ ...hello, messages: history });
    expect(messagesOf(requests[0]!)).toEqual([
      'user: Speak like a pirate.|Hello',
      'model: Good day.',
      'user: How are you?',
    ]);
    expect(requests[0]!.config.systemInstruction).not.toEqual(expect.stringContaining('pirate'));
    const stream = await client.chat.completions.create({ ...hello, messages: history, stream: true });
    await Array.fromAsync(stream);
    await expect.poll(() => sessionIds()).toEqual([]);
  });

  it('does not add the history of the client to memory again', async () => {
    const memoryService = new InMemoryMemoryService();
    const rootAgent = new LlmAgent({
      name: 'clerk',
      model: new ScriptedLlm(says('Fine.')),
      afterAgentCallback: (context) => context.addSessionToMemory(),
    });
    const { client } = openAiDemo({ rootAgent, memoryService });
    await client.chat.completions.create({ ...hello, messages: history });
    const { memories } = await memoryService.listMemories({ appName: 'demo', userId: 'user' });
    const text = JSON.stringify(memories);
    expect([text.includes('How are you?'), text.includes('Good day.')]).toEqual([true, false]);
  });

  it('leaves out tool calls and tool results of the history', async () => {
    const { client, requests } = openAiDemo({ answers: [says('Yes.')] });
    const call = { id: 'c1', type: 'function' as const, function: { name: 'refund', arguments: '{}' } };
    await client.chat.completions.create({
      model: 'demo',
      messages: [
        { role: 'user', content: 'Refund it.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'refunded' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Really?' },
      ],
    });
    expect(messagesOf(requests[0]!)).toEqual(['user: Refund it.', 'model: Done.', 'user: Really?']);
  });

  it.each([
    ['the header x-session-id', { 'x-session-id': 's 1' }, {}],
    ['metadata.session_id', {}, { metadata: { session_id: 's 1' } }],
  ])('reads only the new message in a stored session, named by %s', async (_, headers, more) => {
    const { client, requests, sessions } = openAiDemo({ answers: [says('Good day.'), says('Fine.')], headers });
    await client.chat.completions.create({ ...hello, ...more });
    await client.chat.completions.create({ model: 'demo', messages: history, ...more });
    expect(messagesOf(requests[1]!)).toEqual(['user: Hello', 'model: Good day.', 'user: How are you?']);
    const stored = await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: 's 1' });
    expect(textsOf(stored!.events)).toEqual(['user: Hello', 'clerk: Good day.', 'user: How are you?', 'clerk: Fine.']);
  });

  it('processes a message once if it is sent again with its Idempotency-Key', async () => {
    const { client, requests } = openAiDemo({ answers: [says('Good day.')], headers: { 'x-session-id': 's' } });
    const send = () => client.chat.completions.create(hello, { headers: { 'idempotency-key': 'k1' } });
    const [first, second] = [await send(), await send()];
    expect(second.choices).toEqual(first.choices);
    expect(requests).toHaveLength(1);
  });

  it.each([true, false])('repeats the failure of a message that is sent again: stream %s', async (stream) => {
    const { client, requests } = openAiDemo({ answers: [fails('MODEL_OVERLOADED')], headers: { 'x-session-id': 's' } });
    for (let i = 0; i < 2; i++) {
      const headers = { 'idempotency-key': 'k1' };
      const sending = client.chat.completions.create({ ...hello, stream }, { headers });
      const answer = stream ? sending.then((chunks) => Array.fromAsync(chunks as AsyncIterable<unknown>)) : sending;
      await expect(answer).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', type: 'server_error' });
    }
    expect(requests).toHaveLength(1);
  });

  it('uses the user in the body, or answers 403 if authorize returns another user', async () => {
    const { client, sessionIds } = openAiDemo({ answers: [says('Good day.')], headers: { 'x-session-id': 's' } });
    await client.chat.completions.create({ ...hello, user: 'ann' });
    expect(await sessionIds('ann')).toEqual(['s']);
    const strict = openAiDemo({ authorize: () => ({ userId: 'ann' }) });
    const error: unknown = await strict.client.chat.completions.create({ ...hello, user: 'bob' }).catch((each) => each);
    expect(error).toMatchObject({ status: 403, code: 'FORBIDDEN', type: 'permission_error' });
  });

  it('does not open the session of another user with the same id', async () => {
    const { client, requests } = openAiDemo({
      answers: [says('Hi Ann.'), says('Hi Bob.')],
      headers: { 'x-session-id': 's' },
    });
    await client.chat.completions.create({ ...hello, user: 'ann' });
    await client.chat.completions.create({ ...hello, user: 'bob' });
    expect(messagesOf(requests[1]!)).toEqual(['user: Hello']);
  });

  it('passes images, files and audio to the agent', async () => {
    const { client, requests } = openAiDemo({ answers: [says('A cat.')] });
    await client.chat.completions.create({
      model: 'demo',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'image_url', image_url: { url: 'https://example.com/cat.jpg?size=1' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
            { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
          ],
        },
      ],
    });
    expect(requests[0]!.contents[0]!.parts).toEqual([
      { text: 'What is it?' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { fileData: { fileUri: 'https://example.com/cat.jpg?size=1', mimeType: 'image/jpeg' } },
      { inlineData: { mimeType: 'application/pdf', data: 'BBBB', displayName: 'a.pdf' } },
      { inlineData: { mimeType: 'audio/mpeg', data: 'CCCC' } },
    ]);
  });

  it('ends a stream with SERVER_BUSY if the server closes, because clients cannot read the rest', async () => {
    const sessionService = Object.assign(new InMemorySessionService(), { isDurable: true });
    for (const headers of [{}, { 'x-session-id': 's' }]) {
      const called = Promise.withResolvers<AbortSignal>();
      const answers = [neverAnswers(called), neverAnswers(called)];
      const { client, handler } = openAiDemo({ sessionService, answers, headers });
      const chat = await client.chat.completions.create({ ...hello, stream: true });
      const read = Array.fromAsync(chat).catch((error: unknown) => error);
      const stored = await client.responses.create({ model: 'demo', input: 'Hello', stream: true });
      const events = Array.fromAsync(stored);
      await called.promise;
      await handler.close({ timeoutMs: 1 });
      expect(await read).toMatchObject({ code: 'SERVER_BUSY' });
      expect((await events).at(-1)).toMatchObject({ response: { status: 'failed', error: { code: 'SERVER_BUSY' } } });
    }
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['OTHER', 'stop'],
  ])('answers %s with the finish reason %s', async (finishReason, expected) => {
    const { client } = openAiDemo({ answers: [{ ...says('Good'), finishReason }] });
    expect((await client.chat.completions.create(hello)).choices[0]!.finish_reason).toBe(expected);
  });

  it('shows thoughts as reasoning_content, and no calls of tools', async () => {
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'sunny' });
    const model = new ScriptedLlm(calls('look'), thinks('It is sunny.', 'Sunny.'));
    const { client } = openAiDemo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const { message } = (await client.chat.completions.create(hello)).choices[0]!;
    expect(message).toEqual({
      role: 'assistant',
      content: 'Sunny.',
      refusal: null,
      reasoning_content: 'It is sunny.',
    });
  });

  it('does not mix the texts of agents that run concurrently', async () => {
    const agents = ['one', 'two'].map((name) => {
      const model = new ScriptedLlm(streams(`${name} `, 'says ', 'hello.'));
      return new LlmAgent({ name, model });
    });
    const rootAgent = new ParallelAgent({ name: 'both', subAgents: agents }) as unknown as LlmAgent;
    const { client } = openAiDemo({ rootAgent });
    const completion = await client.chat.completions.stream(hello).finalChatCompletion();
    expect(completion.choices[0]!.message.content!.split('\n\n').sort()).toEqual([
      'one says hello.',
      'two says hello.',
    ]);
  });

  it('does not stream drafts of an agent with an outputSchema', async () => {
    const wrong = streams('{"nights":', '"many"}');
    const right: LlmResponse[] = streams('{"nights":', '2}');
    const model = new ScriptedLlm(wrong, right);
    const outputSchema = { type: 'object', properties: { nights: { type: 'integer' } }, required: ['nights'] };
    const { client } = openAiDemo({
      rootAgent: new LlmAgent({ name: 'clerk', model, outputSchema: jsonSchema(outputSchema) }),
    });
    const completion = await client.chat.completions.stream(hello).finalChatCompletion();
    expect(completion.choices[0]!.message.content).toBe('{"nights":2}');
  });

  it('describes the request that a paused agent waits for', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const { client, sessionIds } = openAiDemo({ rootAgent, headers: { 'x-session-id': 's' } });
    const [choice] = (await client.chat.completions.create(hello)).choices;
    expect(choice!.message.content).toContain('an approval of book({"room":7})');
    expect(choice!.finish_reason).toBe('stop');
    expect([booked, await sessionIds()]).toEqual([[], ['s']]);
  });

  it('explains that an answer is not possible without a stored session', async () => {
    const { client, sessionIds } = openAiDemo({ rootAgent: bookingDesk(...bookingAnswers).rootAgent });
    const completion = await client.chat.completions.stream(hello).finalChatCompletion();
    expect(completion.choices[0]!.message.content).toContain('no answer is possible');
    await expect.poll(() => sessionIds()).toEqual([]);
  });

  it('answers with the status of a failed model, and forbids retries in a stored session', async () => {
    const { client, requests } = openAiDemo({ answers: [fails('MODEL_OVERLOADED')], headers: { 'x-session-id': 's' } });
    const error: unknown = await client.chat.completions
      .create(hello, { maxRetries: 2 })
      .catch((each: unknown) => each);
    expect(error).toMatchObject({ status: 503, code: 'MODEL_OVERLOADED', type: 'server_error' });
    expect(requests).toHaveLength(1);
  });

  it('forbids retries of messages without an id in a stored session if the server closes', async () => {
    for (const [headers, expected] of [
      [{}, 'false'],
      [{ 'idempotency-key': 'k' }, null],
    ] as const) {
      const sessionService = Object.assign(new InMemorySessionService(), { isDurable: true });
      const called = Promise.withResolvers<AbortSignal>();
      const { handler } = openAiDemo({ sessionService, answers: [neverAnswers(called)] });
      const init = { method: 'POST', headers: { 'content-type': 'application/json', 'x-session-id': 's', ...headers } };
      const request = new Request('http://localhost/v1/chat/completions', { ...init, body: JSON.stringify(hello) });
      const answer = handler(request);
      await called.promise;
      await handler.close({ timeoutMs: 1 });
      const response = await answer;
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, expected]);
    }
  });

  it("lets pages of allowed origins read the headers that OpenAI's client needs", async () => {
    const origin = 'https://page.example';
    const { handler } = openAiDemo({ answers: [fails('MODEL_OVERLOADED')], cors: { origins: [origin] } });
    const headers = { origin, 'content-type': 'application/json', 'x-session-id': 's-1' };
    const init = { method: 'POST', headers, body: JSON.stringify(hello) };
    const response = await handler(new Request('http://localhost/v1/chat/completions', init));
    expect(response.headers.get('x-should-retry')).toBe('false');
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-session-id', 'x-should-retry', 'retry-after']));
  });

  it('ends a stream with the error of a run that fails after its beginning', async () => {
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'sunny' });
    const model = new ScriptedLlm(calls('look'), fails('MODEL_OVERLOADED'));
    const { client } = openAiDemo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', type: 'server_error' });
  });

  it('deletes the session when the client disconnects', async () => {
    const answer = streams('Good ', 'day.');
    const { client, sessionIds } = openAiDemo({
      answers: [answer],
      onDisconnect: 'continue',
    });
    const stream = await client.chat.completions.create({ ...hello, stream: true });
    for await (const _ of stream) break;
    await expect.poll(() => sessionIds()).toEqual([]);
  });

  it('stops a run without a session when its client disconnects before the answer', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { client, sessionIds } = openAiDemo({ answers: [neverAnswers(called)], onDisconnect: 'continue' });
    const leaving = new AbortController();
    const answer = client.chat.completions.create(hello, { signal: leaving.signal });
    const signal = await called.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow('aborted');
    await expect.poll(() => signal.aborted).toBe(true);
    await expect.poll(() => sessionIds()).toEqual([]);
  });
});
