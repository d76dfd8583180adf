import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, ParallelAgent } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import type OpenAI from 'openai';
import type { ConversationItem } from 'openai/resources/conversations/items';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { messagesOf, openAiDemo } from './openai-client.ts';

const hello = { model: 'demo', input: 'Hello' };
const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });

/** Returns the items as `role: text`, and reasoning items as `type: text`. */
function linesOf(items: readonly ConversationItem[]): string[] {
  return items.map((item) => {
    if (item.type === 'message')
      return `${item.role}: ${item.content.map((part) => 'text' in part && part.text).join('|')}`;
    return item.type === 'reasoning' ? `reasoning: ${item.summary.map(({ text }) => text).join('|')}` : item.type;
  });
}

async function itemsOf(client: OpenAI, id: string, query: object = {}): Promise<ConversationItem[]> {
  return Array.fromAsync(client.conversations.items.list(id, { order: 'asc', ...query }));
}

describe('POST /v1/conversations', () => {
  it('creates a session that POST /v1/responses continues', async () => {
    const { client, requests, sessionIds } = openAiDemo({ answers: [says('Good day.')] });
    const conversation = await client.conversations.create();
    expect(conversation).toEqual({
      id: expect.stringMatching(/^conv_demo_./),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: {},
    });
    const response = await client.responses.create({ ...hello, conversation: conversation.id });
    expect(response.conversation).toEqual({ id: conversation.id });
    expect(await sessionIds()).toEqual([conversation.id]);
    expect(requests.map(messagesOf)).toEqual([['user: Hello']]);
    expect(await client.conversations.retrieve(conversation.id)).toEqual(conversation);
  });

  it.each([true, false])('stores items as the history of the agent: insertSession %s', async (canInsert) => {
    const sessionService = new InMemorySessionService();
    if (!canInsert) Object.assign(sessionService, { insertSession: undefined });
    const { client, requests } = openAiDemo({ answers: [says('Fine.')], sessionService });
    const metadata = { topic: 'greeting' };
    const items = [{ role: 'system' as const, content: 'Be short.' }, user('Hello'), assistant('Good day.')];
    const { id } = await client.conversations.create({ items, metadata });
    await client.responses.create({ model: 'demo', input: 'How are you?', conversation: id });
    expect(requests.map(messagesOf)).toEqual([
      ['user: Be short.', 'user: Hello', 'model: Good day.', 'user: How are you?'],
    ]);
    expect((await client.conversations.retrieve(id)).metadata).toEqual(metadata);
  });

  it('needs the query parameter model if there are several apps, but only to create', async () => {
    const apps = ['demo', 'demo_eu'].map((name) => ({
      name,
      rootAgent: new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says(`I am ${name}.`)) }),
    }));
    const { client } = openAiDemo({ apps });
    await expect(client.conversations.create()).rejects.toMatchObject({
      ...{ status: 400, code: 'INVALID_INPUT', param: 'model' },
      message: expect.stringContaining('GET /v1/models lists them.'),
    });
    const unknown = client.conversations.create({}, { query: { model: 'other' } });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    const { id } = await client.conversations.create({ items: [user('Hello')] }, { query: { model: 'demo_eu' } });
    await client.responses.create({ model: 'demo_eu', input: 'Who?', conversation: id });
    expect(linesOf(await itemsOf(client, id))).toEqual(['user: Hello', 'user: Who?', 'assistant: I am demo_eu.']);
    // A plain id does not contain the app.
    await client.responses.create({ ...hello, conversation: 'plain' });
    await expect(client.conversations.retrieve('plain')).rejects.toMatchObject({ status: 400, param: 'model' });
    const named = await client.conversations.retrieve('plain', { query: { model: 'demo' } });
    expect(named.id).toBe('plain');
  });
});

describe('GET, POST and DELETE /v1/conversations/:session', () => {
  it('replaces the metadata and keeps the time of creation', async () => {
    const runtime = new FixedRuntime();
    const { client, sessions } = openAiDemo({ runtime, sessionService: new InMemorySessionService({ runtime }) });
    const created = await client.conversations.create({ metadata: { a: '1', b: '2' } });
    expect(created.created_at).toBe(Math.floor(runtime.now()));
    await runtime.advance(5_000);
    const updated = await client.conversations.update(created.id, { metadata: { a: '3' } });
    expect(updated).toEqual({ ...created, metadata: { a: '3' } });
    expect(await client.conversations.retrieve(created.id)).toEqual(updated);
    const cleared = await client.conversations.update(created.id, { metadata: null });
    expect(cleared.metadata).toEqual({});
    const session = await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: created.id });
    expect(session!.state).toEqual({ openai_conversation: { created_at: created.created_at, metadata: {} } });
  });

  it('describes a session of other routes, created at its first event', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    const { client } = openAiDemo({ answers: [says('Good day.'), says('Fine.')], runtime, sessionService });
    const expected = { object: 'conversation', created_at: Math.floor(runtime.now()), metadata: {} };
    const { conversation } = await client.responses.create(hello);
    await runtime.advance(5_000);
    const { id } = conversation!;
    await client.responses.create({ ...hello, conversation: id });
    expect(await client.conversations.update(id, { metadata: { a: '1' } })).toMatchObject({
      ...expected,
      metadata: { a: '1' },
    });
    expect(await client.conversations.retrieve(id)).toMatchObject({ id, ...expected, metadata: { a: '1' } });
  });

  it('ignores a value of another form in the state of the session', async () => {
    const { client, sessions } = openAiDemo();
    for (const value of [7, null, {}, { created_at: 'x', metadata: {} }, { created_at: 1, metadata: { a: 1 } }]) {
      const ref = { appName: 'demo', userId: 'user', sessionId: JSON.stringify(value) };
      await sessions.createSession({ ...ref, state: { openai_conversation: value } });
      const { created_at: createdAt, metadata } = await client.conversations.retrieve(ref.sessionId);
      expect([metadata, createdAt > 1]).toEqual([{}, true]);
    }
  });

  it('writes no metadata if clients may not write state of sessions', async () => {
    const { client } = openAiDemo({ clientMayWrite: ['user'] });
    const { id } = await client.conversations.create();
    for (const writing of [
      client.conversations.create({ metadata: { a: '1' } }),
      client.conversations.update(id, { metadata: { a: '1' } }),
    ])
      await expect(writing).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN', type: 'permission_error' });
    expect((await client.conversations.retrieve(id)).metadata).toEqual({});
  });

  it('deletes the session', async () => {
    const { client, sessionIds } = openAiDemo({ answers: [says('Good day.')] });
    const { id } = await client.conversations.create({ items: [user('Hello')] });
    expect(await client.conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true });
    expect(await sessionIds()).toEqual([]);
    const missing = { status: 404, code: 'NOT_FOUND', param: 'conversation_id', type: 'invalid_request_error' };
    await expect(client.conversations.delete(id)).rejects.toMatchObject(missing);
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject(missing);
    await expect(client.conversations.update(id, { metadata: {} })).rejects.toMatchObject(missing);
    await expect(client.conversations.items.list(id)).rejects.toMatchObject(missing);
    await expect(client.conversations.items.create(id, { items: [user('Hi')] })).rejects.toMatchObject(missing);
  });

  it('shows and changes only conversations of the user', async () => {
    const { client, sessionIds } = openAiDemo({ headers: { 'x-user-id': 'ann' } });
    const { id } = await client.conversations.create({ items: [user('Secret')] });
    expect([await sessionIds('ann'), await sessionIds()]).toEqual([[id], []]);
    const bob = client.withOptions({ defaultHeaders: { 'x-user-id': 'bob' } });
    await expect(bob.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(bob.conversations.items.list(id)).rejects.toMatchObject({ status: 404 });
    await expect(bob.conversations.delete(id)).rejects.toMatchObject({ status: 404 });
    expect(await sessionIds('ann')).toEqual([id]);
  });

  it('passes the app and the action of each request to authorize', async () => {
    const identities: unknown[] = [];
    const { client } = openAiDemo({
      authorize: (_, { action, appName }) => {
        identities.push([appName, action]);
        return { userId: 'ann' };
      },
    });
    const { id } = await client.conversations.create();
    await client.conversations.retrieve(id);
    await client.conversations.update(id, { metadata: {} });
    const { data } = await client.conversations.items.create(id, { items: [user('Hello')] });
    await client.conversations.items.list(id);
    await client.conversations.items.retrieve(data[0]!.id!, { conversation_id: id });
    await client.conversations.delete(id);
    const actions = ['write', 'read', 'write', 'write', 'read', 'read', 'delete'];
    expect(identities).toEqual(actions.map((action) => ['demo', action]));
  });
});

describe('GET /v1/conversations/:session/items', () => {
  it('lists messages and thoughts with the ids of their responses', async () => {
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'sunny' });
    const parts = [{ text: 'Hm.', thought: true }, { text: 'Sun' }, { text: 'ny.' }];
    const model = new ScriptedLlm(calls('look'), { content: { role: 'model', parts } }, streams('Bye', '.'));
    const { client } = openAiDemo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const { id } = await client.conversations.create();
    const first = await client.responses.create({ ...hello, conversation: id });
    const second = await client.responses.stream({ model: 'demo', input: 'Bye', conversation: id }).finalResponse();
    const items = await itemsOf(client, id);
    expect(linesOf(items)).toEqual([
      ...['user: Hello', 'reasoning: Hm.', 'assistant: Sunny.', 'user: Bye', 'assistant: Bye.'],
    ]);
    const answers = items.filter((item) => !('role' in item && item.role === 'user'));
    expect(answers.slice(0, 2)).toEqual(first.output);
    expect(answers[2]!.id).toBe(second.output[0]!.id);
    expect(new Set(items.map((item) => item.id)).size).toBe(5);
    expect(await itemsOf(client, id)).toEqual(items);
    for (const item of items)
      expect(await client.conversations.items.retrieve(item.id!, { conversation_id: id })).toEqual(item);
  });

  it('has the ids of a stream whose answers were stored in another order', async () => {
    const agents = ['one', 'two'].map((name) => new LlmAgent({ name, model: new ScriptedLlm(streams(name, '!')) }));
    const rootAgent = new ParallelAgent({ name: 'both', subAgents: agents }) as unknown as LlmAgent;
    const { client } = openAiDemo({ rootAgent });
    const { id } = await client.conversations.create();
    const { output } = await client.responses.stream({ ...hello, conversation: id }).finalResponse();
    const items = await itemsOf(client, id);
    const byId = new Map(items.map((item) => [item.id, linesOf([item])]));
    expect(output.map((item) => byId.get(item.id))).toEqual(output.map((item) => linesOf([item as ConversationItem])));
    expect(items).toHaveLength(3);
  });

  it('returns pages in both orders', async () => {
    const { client } = openAiDemo();
    const items = Array.from({ length: 20 }, (_, i) => user(`${i}`));
    const { id } = await client.conversations.create({ items });
    await client.conversations.items.create(id, { items: [user('20')] });
    const all = Array.from({ length: 21 }, (_, i) => `user: ${i}`);
    const page = await client.conversations.items.list(id);
    expect([linesOf(page.data), page.has_more, page.last_id]).toEqual([
      ...[all.toReversed().slice(0, 20), true, page.data.at(-1)!.id],
    ]);
    expect(linesOf(await itemsOf(client, id, { limit: 4, order: 'desc' }))).toEqual(all.toReversed());
    expect(linesOf(await itemsOf(client, id, { limit: 7 }))).toEqual(all);
    expect((await client.conversations.items.list(id, { limit: 21 })).has_more).toBe(false);
    expect(linesOf(await itemsOf(client, id, { limit: 100, include: ['reasoning.encrypted_content'] }))).toEqual(all);
    const rest = await client.conversations.items.list(id, {
      order: 'asc',
      after: (await itemsOf(client, id))[19]!.id!,
    });
    expect([linesOf(rest.data), rest.has_more]).toEqual([['user: 20'], false]);
  });

  it('is an empty page for a conversation without messages', async () => {
    const { client } = openAiDemo();
    const { id } = await client.conversations.create();
    const { data, has_more: hasMore, last_id: lastId } = await client.conversations.items.list(id);
    expect([data, hasMore, lastId]).toEqual([[], false, '']);
  });

  it('shows images and files as they were sent', async () => {
    const { client } = openAiDemo({ answers: [says('A cat.')] });
    const content = [
      { type: 'input_text' as const, text: 'What is it?' },
      { type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA', detail: 'auto' as const },
      { type: 'input_image' as const, image_url: 'https://example.com/cat.jpg', detail: 'auto' as const },
      { type: 'input_file' as const, file_url: 'https://example.com/a.pdf' },
      { type: 'input_file' as const, filename: 'b.csv', file_data: 'data:text/csv;base64,YSxi' },
    ];
    const { id } = await client.conversations.create();
    await client.responses.create({ model: 'demo', input: [{ role: 'user', content }], conversation: id });
    const [item] = await itemsOf(client, id);
    expect(item).toMatchObject({ type: 'message', role: 'user', status: 'completed', content });
  });

  it('leaves out what a rewind has removed', async () => {
    const { client, handler, sessions } = openAiDemo({ answers: [says('One.'), says('Two.')] });
    const { id } = await client.conversations.create();
    await client.responses.create({ ...hello, conversation: id });
    await client.responses.create({ ...hello, conversation: id });
    const { events } = (await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: id }))!;
    const body = { rewindBeforeInvocationId: events.at(-1)!.invocationId };
    await ask(handler, 'POST', `/apps/demo/users/user/sessions/${id}/rewind`, body);
    expect(linesOf(await itemsOf(client, id))).toEqual(['user: Hello', 'assistant: One.']);
  });

  it('has ids that item_reference accepts, of answers and of items that a client has added', async () => {
    const { client, requests } = openAiDemo({ answers: [says('One.'), says('Two.'), says('Three.')] });
    const { id } = await client.conversations.create();
    await client.conversations.items.create(id, { items: [user('Hi'), assistant('Hi Ann.')] });
    await client.responses.create({ ...hello, conversation: id });
    const items = await itemsOf(client, id);
    const referTo = (index: number) =>
      client.responses.create({
        model: 'demo',
        input: [{ type: 'item_reference', id: items[index]!.id! }, user('Go on')],
      });
    await referTo(3);
    await referTo(1);
    expect(requests.slice(1).map(messagesOf)).toEqual([
      ['user: Hi', 'model: Hi Ann.', 'user: Hello', 'model: One.', 'user: Go on'],
      ['user: Hi', 'model: Hi Ann.', 'user: Go on'],
    ]);
  });
});

describe('POST /v1/conversations/:session/items', () => {
  it('appends messages and returns their items', async () => {
    const { client, requests } = openAiDemo({ answers: [says('Good day.'), says('Fine.')] });
    const { id } = await client.conversations.create();
    await client.responses.create({ ...hello, conversation: id });
    const call = { type: 'function_call' as const, call_id: 'c', name: 'look', arguments: '{}' };
    const added = await client.conversations.items.create(id, {
      items: [user('And you?'), call, assistant('I am well.'), user('')],
    });
    expect(added).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: added.data[0]!.id,
      last_id: added.data[1]!.id,
    });
    expect(linesOf(added.data)).toEqual(['user: And you?', 'assistant: I am well.']);
    expect((await itemsOf(client, id)).slice(2)).toEqual(added.data);
    await client.responses.create({ ...hello, conversation: id, input: 'Really?' });
    expect(messagesOf(requests[1]!)).toEqual([
      ...['user: Hello', 'model: Good day.', 'user: And you?', 'model: I am well.', 'user: Really?'],
    ]);
    expect(await itemsOf(client, id)).toHaveLength(6);
  });

  it('waits for the active run of the session', async () => {
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<string>();
    const look = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      execute: () => (started.resolve(), goOn.promise),
    });
    const model = new ScriptedLlm(calls('look'), says('Sunny.'));
    const { client } = openAiDemo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const { id } = await client.conversations.create();
    const answer = client.responses.create({ ...hello, conversation: id });
    await started.promise;
    const adding = client.conversations.items.create(id, { items: [user('Thanks.')] });
    // An append that does not wait would end before this.
    await new Promise((resolve) => setImmediate(resolve));
    goOn.resolve('sunny');
    await Promise.all([answer, adding]);
    expect(linesOf(await itemsOf(client, id))).toEqual(['user: Hello', 'assistant: Sunny.', 'user: Thanks.']);
  });

  it('leaves no unfinished work that a recovery would continue', async () => {
    const { client, sessions } = openAiDemo();
    const { id } = await client.conversations.create({ items: [user('Hello')] });
    await client.conversations.items.create(id, { items: [user('Are you there?')] });
    const { marks } = (await sessions.getSession({ appName: 'demo', userId: 'user', sessionId: id }))!;
    expect(marks).toEqual({ unfinished: null, wakeAt: null, openInterrupts: 0 });
    expect(await sessions.leasing!.current({ appName: 'demo', userId: 'user', sessionId: id })).toBeUndefined();
  });
});

describe('DELETE /v1/conversations/:session/items/:item', () => {
  it('is answered with 400 and the next step, and keeps the item', async () => {
    const { client } = openAiDemo();
    const { id } = await client.conversations.create({ items: [user('Hello')] });
    const [item] = await itemsOf(client, id);
    await expect(client.conversations.items.delete(item!.id!, { conversation_id: id })).rejects.toMatchObject({
      ...{ status: 400, code: 'INVALID_INPUT', param: 'item_id', type: 'invalid_request_error' },
      message: expect.stringContaining('/rewind'),
    });
    expect(await itemsOf(client, id)).toEqual([item]);
  });
});
