import { createOpenAI } from '@ai-sdk/openai';
import { LlmAgent } from '@thole/runner';
import { calls, fails, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { generateText, streamText } from 'ai';
import type { ModelMessage } from 'ai';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { neverAnswers } from '../demo.ts';
import { clerkWithExpert } from './clerk-with-expert.ts';
import { openAiDemo, textsOf, messagesOf } from './openai-client.ts';

const hello = { model: 'demo', input: 'Hello' };
const hi = { role: 'user' as const, content: 'Hi' };
const usage = { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 2, cachedContentTokenCount: 4 };

describe('POST /v1/responses', () => {
  it('answers with text, status and token counts', async () => {
    const { client } = openAiDemo({ answers: [{ ...says('Good day.'), usageMetadata: usage }] });
    const response = await client.responses.create({ ...hello, metadata: { a: '1' } });
    expect(response.output_text).toBe('Good day.');
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_./),
      object: 'response',
      status: 'completed',
      model: 'demo',
      error: null,
      incomplete_details: null,
      metadata: { a: '1' },
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 12,
      },
    });
  });

  it('counts the tokens of an agent that runs as a tool, with and without a stream', async () => {
    const expected = { input_tokens: 118, output_tokens: 4, total_tokens: 122 };
    const { usage: counted } = await openAiDemo({ rootAgent: clerkWithExpert() }).client.responses.create(hello);
    expect(counted).toMatchObject(expected);
    const { client } = openAiDemo({ rootAgent: clerkWithExpert() });
    const events = await Array.fromAsync(await client.responses.create({ ...hello, stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { usage: expected } });
  });

  it('streams items, texts and thoughts in the order of the protocol', async () => {
    const thought = { content: { role: 'model' as const, parts: [{ text: 'Hm.', thought: true }] }, partial: true };
    const answer = [thought, ...streams('Good ', 'day.').slice(0, 2), thinks('Hm.', 'Good day.')];
    const { client } = openAiDemo({ answers: [answer] });
    const events = await Array.fromAsync(await client.responses.create({ ...hello, stream: true }));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, i) => i));
    const ofParts = events.filter(({ type }) => /_(text|part)\.|_text$/.test(type));
    expect(ofParts.map((event) => 'output_index' in event && event.output_index)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(ofParts.every((event) => 'item_id' in event)).toBe(true);
  });

  it('is read by the helper of the SDK that collects a stream', async () => {
    const { client } = openAiDemo({ answers: [streams('Good ', 'day.')] });
    const response = await client.responses.stream(hello).finalResponse();
    expect([response.output_text, response.status]).toEqual(['Good day.', 'completed']);
  });

  it('stores a new session, which previous_response_id continues', async () => {
    const { client, requests, sessionIds } = openAiDemo({ answers: [says('Good day.'), says('Fine.')] });
    const first = await client.responses.create(hello);
    const second = await client.responses.create({
      model: 'demo',
      input: 'How are you?',
      previous_response_id: first.id,
    });
    expect(messagesOf(requests[1]!)).toEqual(['user: Hello', 'model: Good day.', 'user: How are you?']);
    expect(second.previous_response_id).toBe(first.id);
    expect(await sessionIds()).toEqual([first.conversation!.id]);
  });

  it('continues an older response in a copy of its session', async () => {
    const { client, requests, sessionIds } = openAiDemo({ answers: [says('One.'), says('Two.'), says('Other.')] });
    const first = await client.responses.create(hello);
    await client.responses.create({ ...hello, input: 'And then?', previous_response_id: first.id });
    const other = await client.responses.create({ ...hello, input: 'Or else?', previous_response_id: first.id });
    expect(messagesOf(requests[2]!)).toEqual(['user: Hello', 'model: One.', 'user: Or else?']);
    expect(await sessionIds()).toHaveLength(2);
    expect(other.conversation!.id).not.toBe(first.conversation!.id);
  });

  it('processes the first message of a session or of a copy once if it is sent again', async () => {
    const { client, requests, sessionIds } = openAiDemo({
      answers: ['One.', 'Two.', 'Three.'].map((each) => says(each)),
    });
    const send = (key: string, body: object = {}) =>
      client.responses.create({ ...hello, ...body }, { headers: { 'idempotency-key': key } });
    const first = await send('k1');
    expect((await send('k1')).id).toBe(first.id);
    await send('k2', { previous_response_id: first.id });
    const copy = { previous_response_id: first.id, input: 'Or else?' };
    const other = await send('k3', copy);
    expect((await send('k3', copy)).id).toBe(other.id);
    expect([requests.length, (await sessionIds()).length, other.output_text]).toEqual([3, 2, 'Three.']);
    await expect(send('k1', { input: 'Another message.' })).rejects.toMatchObject({
      status: 409,
      code: 'MESSAGE_ID_TAKEN',
    });
  });

  it.each([false, true])(
    'processes a message once that is sent twice at the same time, with history: %j',
    async (h) => {
      const { client, requests, sessionIds } = openAiDemo({ answers: [says('One.'), says('Two.')] });
      const history = [
        { role: 'user' as const, content: 'Hi' },
        { role: 'assistant' as const, content: 'Hello.' },
      ];
      const input = [...(h ? history : []), { role: 'user' as const, content: 'How are you?' }];
      const send = () => client.responses.create({ ...hello, input }, { headers: { 'idempotency-key': 'k' } });
      const [first, second] = await Promise.all([send(), send()]);
      expect([first.id, first.output_text]).toEqual([second.id, 'One.']);
      expect([requests.length, messagesOf(requests[0]!).length, await sessionIds()]).toEqual([1, h ? 3 : 1, ['key:k']]);
    },
  );

  it('processes a message after a previous response once if it is sent again', async () => {
    const { client, requests, sessionIds } = openAiDemo({ answers: [says('One.'), says('Two.'), says('Three.')] });
    const first = await client.responses.create(hello);
    const next = { ...hello, input: 'And then?', previous_response_id: first.id };
    const keyed = { headers: { 'idempotency-key': 'k' } };
    const second = await client.responses.create(next, keyed);
    expect((await client.responses.create(next, keyed)).id).toBe(second.id);
    await client.responses.create({ ...hello, previous_response_id: second.id });
    expect((await client.responses.create(next, keyed)).output_text).toBe('Two.');
    expect([requests.length, (await sessionIds()).length]).toEqual([3, 1]);
  });

  it.each(['c1', { id: 'c1' }])('uses the session that conversation names: %j', async (conversation) => {
    const { client, requests, sessions } = openAiDemo({ answers: [says('Good day.'), says('Fine.')] });
    await client.responses.create({ ...hello, conversation });
    const items = [
      { role: 'user' as const, content: 'Hello' },
      { role: 'assistant' as const, content: 'Good day.' },
      { role: 'user' as const, content: 'How are you?' },
    ];
    await client.responses.create({ model: 'demo', input: items, conversation });
    expect(messagesOf(requests[1]!)).toEqual(['user: Hello', 'model: Good day.', 'user: How are you?']);
    const stored = await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: 'c1' });
    expect(textsOf(stored!.events)).toHaveLength(4);
  });

  it('uses the items of the input as the history of a new session', async () => {
    const { client, requests } = openAiDemo({ answers: [thinks('Hm.', 'Fine.'), says('Yes.')] });
    const input = [{ role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Hello' }] }];
    const first = await client.responses.create({ model: 'demo', input, store: false });
    const items = [...input, ...first.output, { role: 'user', content: 'Really?' }] as ResponseInputItem[];
    await client.responses.create({ model: 'demo', input: items, store: false });
    expect(messagesOf(requests[1]!)).toEqual(['user: Hello', 'model: Fine.', 'user: Really?']);
  });

  it('continues the response of the last item that the input refers to', async () => {
    const answers = [thinks('Hm.', 'One.'), says('Two.'), says('Other.'), says('Three.')];
    const { client, requests, sessionIds } = openAiDemo({ answers });
    const user = (content: string) => ({ role: 'user' as const, content });
    const referencesTo = ({ output }: Response) =>
      output.map(({ id }) => ({ type: 'item_reference' as const, id: id! }));
    const first = await client.responses.create(hello);
    const after = [user('Hello'), ...referencesTo(first)];
    const second = await client.responses.create({ ...hello, input: [...after, user('And then?')] });
    const other = await client.responses.create({ ...hello, input: [...after, user('Or else?')] });
    const input = [...after, user('And then?'), ...referencesTo(second), user('Really?')];
    await client.responses.create({ ...hello, instructions: 'Be short.', input, conversation: first.conversation!.id });
    expect(requests.slice(1).map(messagesOf)).toEqual([
      ['user: Hello', 'model: Hm.|One.', 'user: And then?'],
      ['user: Hello', 'model: Hm.|One.', 'user: Or else?'],
      ['user: Hello', 'model: Hm.|One.', 'user: And then?', 'model: Two.', 'user: Be short.|Really?'],
    ]);
    expect(new Set(await sessionIds())).toEqual(new Set([other, second].map(({ conversation }) => conversation!.id)));
  });

  it('answers 404 with the next step for a reference to an item that is not stored', async () => {
    const { client } = openAiDemo({ answers: [says('One.')] });
    const unstored = await client.responses.create({ ...hello, store: false });
    for (const id of ['msg_1', 'fc_1_0', unstored.output[0]!.id!]) {
      const input = [{ role: 'user' as const, content: 'Hello' }, { type: 'item_reference' as const, id }, hi];
      await expect(client.responses.create({ model: 'demo', input })).rejects.toMatchObject({
        ...{ status: 404, code: 'previous_response_not_found', param: 'input[1]' },
        message: expect.stringContaining('store: false'),
      });
    }
  });

  it('continues a conversation of the AI SDK with default options', async () => {
    const { handler, requests, sessionIds } = openAiDemo({
      answers: [thinks('Hm.', 'One.'), says('Two.'), says('Three.')],
    });
    const openai = createOpenAI({
      ...{ apiKey: 'key', baseURL: 'http://localhost/v1' },
      fetch: (url, init) => handler(new Request(url as string, init)),
    });
    const model = openai('demo');
    const messages: ModelMessage[] = [{ role: 'user', content: 'Hello' }];
    messages.push(...(await generateText({ model, messages })).responseMessages, {
      role: 'user',
      content: 'And then?',
    });
    const streamed = streamText({ model, messages });
    expect(await streamed.text).toBe('Two.');
    messages.push(...(await streamed.responseMessages), { role: 'user', content: 'Really?' });
    expect((await generateText({ model, messages })).text).toBe('Three.');
    expect(messagesOf(requests[2]!)).toEqual([
      ...['user: Hello', 'model: Hm.|One.', 'user: And then?', 'model: Two.', 'user: Really?'],
    ]);
    expect(await sessionIds()).toHaveLength(1);
  });

  it('creates no session or copy if the server is busy', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const answers = [says('One.'), says('Two.'), neverAnswers(called)];
    const { client, handler, sessionIds } = openAiDemo({ answers, limits: { concurrentRuns: 1 } });
    const first = await client.responses.create(hello);
    await client.responses.create({ ...hello, previous_response_id: first.id });
    const waiting = client.responses.create(hello).catch((error: unknown) => error);
    await called.promise;
    for (const previous_response_id of [null, first.id])
      await expect(client.responses.create({ ...hello, previous_response_id })).rejects.toMatchObject({
        ...{ status: 503, code: 'SERVER_BUSY' },
      });
    expect(await sessionIds()).toHaveLength(2);
    await handler.close({ timeoutMs: 0 });
    await waiting;
  });

  it('keeps no session with store: false', async () => {
    const { client, sessionIds } = openAiDemo({ answers: [says('Good day.')] });
    const response = await client.responses.create({ ...hello, store: false });
    expect(response.conversation).toBeNull();
    await expect.poll(() => sessionIds()).toEqual([]);
  });

  it('passes instructions as a text of the user', async () => {
    const { client, requests } = openAiDemo({ answers: [says('Arr.')] });
    await client.responses.create({ ...hello, instructions: 'Speak like a pirate.' });
    expect(messagesOf(requests[0]!)).toEqual(['user: Speak like a pirate.|Hello']);
    expect(requests[0]!.config.systemInstruction).not.toEqual(expect.stringContaining('pirate'));
  });

  it('passes images and files to the agent', async () => {
    const { client, requests } = openAiDemo({ answers: [says('A cat.')] });
    const content = [
      { type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA', detail: 'auto' as const },
      { type: 'input_file' as const, file_url: 'https://example.com/a.pdf' },
      { type: 'input_file' as const, filename: 'b.csv', file_data: 'YSxi' },
    ];
    await client.responses.create({ model: 'demo', input: [{ role: 'user', content }] });
    expect(requests[0]!.contents[0]!.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
      { inlineData: { mimeType: 'text/csv', data: 'YSxi', displayName: 'b.csv' } },
    ]);
  });

  it('is incomplete after the token limit of the model', async () => {
    const { client } = openAiDemo({ answers: [{ ...says('Good'), finishReason: 'MAX_TOKENS' }] });
    const { incomplete_details: details, status } = await client.responses.create(hello);
    expect([status, details]).toEqual(['incomplete', { reason: 'max_output_tokens' }]);
  });

  it('is incomplete while the agent waits for a person, and describes the request', async () => {
    const { client } = openAiDemo({ rootAgent: bookingDesk(...bookingAnswers).rootAgent });
    const response = await client.responses.create(hello);
    expect([response.status, response.incomplete_details]).toEqual(['incomplete', { reason: 'interrupt' }]);
    expect(response.output_text).toContain('an approval of book({"room":7})');
  });

  it('ends a stream as failed if the run fails after its beginning', async () => {
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'sunny' });
    const model = new ScriptedLlm(calls('look'), fails('MODEL_OVERLOADED'));
    const { client } = openAiDemo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const events = await Array.fromAsync(await client.responses.create({ ...hello, stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'MODEL_OVERLOADED' } },
    });
  });
});
