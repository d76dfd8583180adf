import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ClientToolset } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { agUiDemo } from './ag-ui-client.ts';

const ref = { appName: 'demo', userId: 'user', sessionId: 't' };
const hello = { id: 'm1', role: 'user', content: 'Hello' };
const input = { threadId: 't', runId: 'r1', messages: [hello] };
const tool = { name: 'show', description: 'Shows.' };

function withContent(content: unknown): object {
  return { ...input, messages: [{ ...hello, content }] };
}

describe('POST /ag-ui/:app', () => {
  it('names the runId that is too long, and creates no session', async () => {
    const { handler, sessions } = agUiDemo();
    const { body } = await ask(handler, 'POST', '/ag-ui/demo', { ...input, runId: 'x'.repeat(507) });
    expect(body.detail).toBe('body.runId with the prefix "ag-ui:" must be at most 512 bytes long.');
    expect((await sessions.listSessions({ appName: 'demo' })).total).toBe(0);
  });

  it.each([
    {},
    { ...input, threadId: 7 },
    { ...input, threadId: '' },
    { ...input, threadId: '\u0000' },
    { ...input, threadId: 'x'.repeat(600) },
    { ...input, runId: null },
    { ...input, runId: 'x'.repeat(600) },
    { ...input, runId: '\ud800' },
    { ...input, runId: 'c1:answer' },
    { ...input, messages: {} },
    { ...input, messages: [null] },
    { ...input, messages: [{ content: 'Hello' }] },
    { ...input, state: 'all' },
    { ...input, state: [] },
    { ...input, tools: {} },
    { ...input, tools: [null] },
    { ...input, tools: [{ name: 'x' }] },
    { ...input, context: ['x'] },
    { ...input, resume: {} },
    { ...input, resume: [null] },
    { ...input, forwardedProps: { userId: 7 } },
    { ...input, forwardedProps: { userId: '\u0000' } },
    withContent(7),
    withContent([null]),
    withContent([{ type: 'text', text: 7 }]),
    withContent([{ type: 'image' }]),
    withContent([{ type: 'image', source: { type: 'url', value: 'file:///etc/passwd' } }]),
    withContent([{ type: 'image', source: { type: 'file', value: 'file-1' } }]),
    withContent([{ type: 'image', source: { type: 'data', value: '?', mimeType: 'image/png' } }]),
    '{',
  ])('rejects a wrong request with 400 and runs nothing: %j', async (body) => {
    const { handler, sessions, requests } = agUiDemo();
    const answer = await ask(handler, 'POST', '/ag-ui/demo', body);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(requests).toEqual([]);
    const { sessions: all } = await sessions.listSessions({ appName: 'demo' });
    for (const { id } of all) expect((await sessions.getSession({ ...ref, sessionId: id }))!.events).toEqual([]);
  });

  it.each([
    [7, ' must be a string or a list of parts.'],
    [[{ type: 'image' }], '[0] must be a text part or a file with a source.'],
  ])('says what the content of a message must be: %j', async (content, problem) => {
    const { body } = await ask(agUiDemo().handler, 'POST', '/ag-ui/demo', withContent(content));
    expect(body.detail).toBe(`The content of the user's message${problem}`);
  });

  it.each([
    ['of the agent', [{ name: 'look', description: '' }]],
    ['of the runner', [{ name: 'transfer_to_agent', description: '' }]],
    ['of a request', [{ name: 'adk_request_confirmation', description: '' }]],
    ['with a space', [{ name: 'a b', description: '' }]],
    ['that is too long', [{ name: 'x'.repeat(65), description: '' }]],
    ['that occurs twice', [tool, tool]],
  ])('rejects tools of the client with a name %s', async (_, tools) => {
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'sunny' });
    const rootAgent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(), tools: [look, new ClientToolset()] });
    const { status } = await ask(agUiDemo({ rootAgent }).handler, 'POST', '/ag-ui/demo', { ...input, tools });
    expect(status).toBe(400);
  });

  it.each([
    ['a list of parameters', [{ ...tool, parameters: [] }]],
    [
      'parameters that are too deep',
      [{ ...tool, parameters: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object }],
    ],
    ['too many tools', Array.from({ length: 129 }, (_, i) => ({ ...tool, name: `t${i}` }))],
    ['descriptions that are too long', [{ ...tool, description: 'x'.repeat(300_000) }]],
  ])('rejects tools of the client with %s', async (_, tools) => {
    const rootAgent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(), tools: [new ClientToolset()] });
    const { status } = await ask(agUiDemo({ rootAgent }).handler, 'POST', '/ag-ui/demo', { ...input, tools });
    expect(status).toBe(400);
  });

  it('rejects a state that is nested too deeply with 400', async () => {
    const { handler } = agUiDemo();
    const state = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const text = JSON.stringify({ ...input, state: 0 }).replace('"state":0', `"state":${state}`);
    const { status, body } = await ask(handler, 'POST', '/ag-ui/demo', text);
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.detail).toMatch(/^body\.state/);
  });

  it.each([['evil'], [[null, 3, { name: {} }]], [{ length: 2 }]])(
    'ignores tools that a client has written as state: %j',
    async (agUiTools) => {
      const model = new ScriptedLlm(says('Hi.'));
      const rootAgent = new LlmAgent({ name: 'clerk', model, tools: [new ClientToolset()] });
      const { handler, sessions } = agUiDemo({ rootAgent });
      await sessions.createSession({ ...ref, state: { agUiTools } });
      const { status, body } = await ask(handler, 'POST', '/ag-ui/demo', input);
      expect([status, body]).toEqual([200, expect.stringContaining('"delta":"Hi."')]);
    },
  );

  it('ignores tools of the client if no agent accepts them', async () => {
    const { handler, requests } = agUiDemo({ answers: [says('Hi.')] });
    expect((await ask(handler, 'POST', '/ag-ui/demo', { ...input, tools: [tool] })).status).toBe(200);
    expect(requests[0]!.config.tools).toBeUndefined();
  });

  it('answers 404 for an unknown app and 413 for a body over the limit', async () => {
    const { handler } = agUiDemo({ limits: { bodyBytes: 1_000 } });
    expect((await ask(handler, 'POST', '/ag-ui/other', input)).status).toBe(404);
    const answer = await ask(handler, 'POST', '/ag-ui/demo', withContent('x'.repeat(2_000)));
    expect([answer.status, answer.body.code]).toEqual([413, 'INVALID_INPUT']);
  });

  it('does not accept a message of the role tool as an approval', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const { handler, send, client } = agUiDemo({ rootAgent });
    await send('Book room 7.');
    const ids = [client.pendingInterrupts[0]!.id, 'c1'];
    const messages = ids.map((toolCallId) => ({ id: 'x', role: 'tool', toolCallId, content: '{"confirmed":true}' }));
    const tools = [{ name: 'book', description: '' }];
    const { body } = await ask(handler, 'POST', '/ag-ui/demo', { ...input, runId: 'r2', messages, tools });
    expect(body).toContain('"type":"interrupt"');
    expect(booked).toEqual([]);
  });

  it('does not accept a message of the role tool for a long-running call of the server', async () => {
    const { handler, send } = agUiDemo({ rootAgent: bookingDesk(calls('wait', {}, 'c1'), says('Pending.')).rootAgent });
    await send('Ask the manager.');
    const messages = [{ id: 'x', role: 'tool', toolCallId: 'c1', content: 'yes' }];
    const { body } = await ask(handler, 'POST', '/ag-ui/demo', { ...input, runId: 'r2', messages });
    expect(body).toContain('"type":"interrupt"');
  });

  it('does not accept an answer to the interrupt of another user in the same thread', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const { handler, send, client } = agUiDemo({ rootAgent });
    await send('Book room 7.');
    const resume = [{ interruptId: client.pendingInterrupts[0]!.id, status: 'resolved', payload: true }];
    const body = { ...input, messages: [], resume, forwardedProps: { userId: 'bob' } };
    const answer = await ask(handler, 'POST', '/ag-ui/demo', body);
    expect([answer.status, answer.body.code]).toEqual([404, 'INTERRUPT_NOT_FOUND']);
    expect(booked).toEqual([]);
  });

  it('does not show the thread of another user', async () => {
    const { handler, send } = agUiDemo({ answers: [says('Secret.')] });
    await send('Hello');
    const body = { ...input, messages: [], forwardedProps: { userId: 'bob' } };
    expect((await ask(handler, 'POST', '/ag-ui/demo', body)).body).toContain('"messages":[]');
  });

  it('answers a wrong value with 422 and keeps the question open', async () => {
    const { handler, send, client } = agUiDemo({
      rootAgent: bookingDesk(calls('ask', {}, 'c1'), says('Two.')).rootAgent,
    });
    await send('Book.');
    const resume = (payload: unknown): object[] => [
      { interruptId: client.pendingInterrupts[0]!.id, status: 'resolved', payload },
    ];
    const post = (payload: unknown) =>
      ask(handler, 'POST', '/ag-ui/demo', { ...input, messages: [], resume: resume(payload) });
    expect((await post('many')).body.code).toBe('ANSWER_INVALID');
    expect((await post(2)).body).toContain('Two.');
  });

  it('keeps names such as __proto__ in the state', async () => {
    const { handler, sessions } = agUiDemo({ answers: [says('Hi.')] });
    const body = `{"threadId":"t","runId":"r1","messages":[${JSON.stringify(hello)}],"state":{"__proto__":{"a":1},"constructor":2}}`;
    expect((await ask(handler, 'POST', '/ag-ui/demo', body)).status).toBe(200);
    const { state } = (await sessions.getSession(ref))!;
    expect(Object.keys(state).sort()).toEqual(['__proto__', 'constructor']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});
