import { StoredSessionService } from '@thole/core';
import type { Event, Plugin } from '@thole/core';
import {
  InMemoryArtifactService,
  InMemoryMemoryService,
  InMemorySessionService,
  InMemorySessionStore,
} from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { demo, session, sessionPath } from '../demo.ts';

const ALL = '/apps/demo/users/ann/sessions';
const said = (id: string, text: string): object => ({
  id,
  author: 'user',
  content: { role: 'user', parts: [{ text }] },
});

describe('POST /apps/{app}/users/{user}/sessions', () => {
  it('creates a session without a body, with null, and with the body of ADK’s web UI', async () => {
    const { handler } = await demo();
    const bodies = [
      undefined,
      'null',
      { state: { __session_metadata__: { displayName: 'Trip' } } },
      { sessionId: null },
    ];
    const answers = [];
    for (const body of bodies) answers.push(await ask(handler, 'POST', ALL, body));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[2]!.body).toMatchObject({ appName: 'demo', userId: 'ann', events: [], lastSeq: 0 });
    expect(answers[2]!.body.state).toEqual({ __session_metadata__: { displayName: 'Trip' } });
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(4);
  });

  it('rejects more than 20,000 events, which would take gigabytes from a small body', async () => {
    const { handler } = await demo();
    const events = Array.from({ length: 20_001 }, () => ({ author: 'user' }));
    const { status, body } = await ask(handler, 'POST', ALL, { sessionId: 't', events });
    expect([status, body.detail]).toEqual([400, 'body.events must have at most 20000 items.']);
    expect((await ask(handler, 'GET', `${ALL}/t`)).status).toBe(404);
  });

  it('answers 409 for an existing session id on both routes', async () => {
    const { handler } = await demo();
    expect((await ask(handler, 'POST', ALL, { sessionId: 's' })).status).toBe(409);
    const { status, body } = await ask(handler, 'POST', sessionPath, {});
    expect([status, body]).toEqual([409, { detail: expect.any(String), code: 'SESSION_ALREADY_EXISTS' }]);
  });

  it('accepts snake_case, and leaves names and nulls in state unchanged (contract 38)', async () => {
    const { handler } = await demo();
    const text = '{"session_id":"t","state":{"__proto__":{"x":1},"deep":{"a_b":null},"room_number":1}}';
    const { body } = await ask(handler, 'POST', ALL, text);
    expect(body.id).toBe('t');
    expect(JSON.stringify(body.state)).toBe('{"__proto__":{"x":1},"deep":{"a_b":null},"room_number":1}');
  });
});

describe('POST /apps/{app}/users/{user}/sessions/{session}', () => {
  it('creates a session with an id from a state map or from {state}', async () => {
    const { handler } = await demo();
    const bare = await ask(handler, 'POST', `${ALL}/a`, { room_number: 1 });
    const wrapped = await ask(handler, 'POST', `${ALL}/b`, { state: { room_number: 2 } });
    const none = await ask(handler, 'POST', `${ALL}/c`);
    expect([bare.body.state, wrapped.body.state, none.body.state]).toEqual([
      { room_number: 1 },
      { room_number: 2 },
      {},
    ]);
    expect([bare.body.id, wrapped.body.id, none.body.id]).toEqual(['a', 'b', 'c']);
  });
});

describe('GET /apps/{app}/users/{user}/sessions', () => {
  it('lists sessions as an array, with state and without events', async () => {
    const runtime = new FixedRuntime();
    const { handler, sessions } = await demo({ runtime, sessionService: new InMemorySessionService({ runtime }) });
    await runtime.advance(1_000);
    await ask(handler, 'POST', ALL, { sessionId: 't', state: { room: 1 }, events: [said('e1', 'Hello')] });
    await sessions.createSession({ ...session, userId: 'bob', sessionId: 'u' });
    const { body } = await ask(handler, 'GET', ALL);
    expect(body.map((each: { id: string }) => each.id)).toEqual(['s', 't']);
    expect(body[1]).toMatchObject({
      appName: 'demo',
      userId: 'ann',
      state: { room: 1 },
      events: [],
      lastUpdateTime: 1_700_000_001,
    });
  });

  it('lists at most limits.listItems of the newest sessions without paging', async () => {
    const runtime = new FixedRuntime();
    const { handler } = await demo({
      runtime,
      sessionService: new InMemorySessionService({ runtime }),
      limits: { listItems: 2 },
    });
    for (const sessionId of ['t', 'u']) {
      await runtime.advance(1_000);
      await ask(handler, 'POST', ALL, { sessionId });
    }
    const { body } = await ask(handler, 'GET', ALL);
    expect(body.map((each: { id: string }) => each.id)).toEqual(['t', 'u']);
  });

  it('lists pages with limit, offset, page or order', async () => {
    const runtime = new FixedRuntime();
    const { handler } = await demo({
      runtime,
      sessionService: new InMemorySessionService({ runtime }),
      limits: { listItems: 2 },
    });
    for (const sessionId of ['t', 'u', 'v', 'w']) {
      await runtime.advance(1_000);
      await ask(handler, 'POST', ALL, { sessionId });
    }
    const pageOf = async (query: string): Promise<unknown> => {
      const { body } = await ask(handler, 'GET', `${ALL}?${query}`);
      return [
        body.sessions.map((each: { id: string }) => each.id).join(''),
        body.page,
        body.limit,
        body.totalItems,
        body.totalPages,
      ];
    };
    expect(await pageOf('limit=2')).toEqual(['st', 1, 2, 5, 3]);
    expect(await pageOf('limit=2&page=3')).toEqual(['w', 3, 2, 5, 3]);
    expect(await pageOf('limit=2&offset=1')).toEqual(['tu', 1, 2, 5, 3]);
    expect(await pageOf('limit=1&offset=3')).toEqual(['v', 4, 1, 5, 5]);
    expect(await pageOf('order=desc')).toEqual(['wv', 1, 2, 5, 3]);
    expect(await pageOf('limit=900')).toEqual(['st', 1, 2, 5, 3]);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1e3',
    'limit=',
    'page=0',
    'page=1&offset=1',
    'offset=1.5',
    'order=up',
    'limit=99999999999',
  ])('rejects the paging %s with 400', async (query) => {
    const { handler } = await demo();
    const { status, body } = await ask(handler, 'GET', `${ALL}?${query}`);
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('GET /apps/{app}/users/{user}/sessions/{session}', () => {
  it('returns the last N events, or the events from a time on', async () => {
    const { handler } = await demo();
    const events = [1, 2, 3, 4].map((n) => ({ ...said(`e${n}`, 'Hello'), timestamp: 100 + n }));
    await ask(handler, 'POST', ALL, { sessionId: 't', events });
    const idsOf = async (query: string): Promise<string[]> =>
      (await ask(handler, 'GET', `${ALL}/t?${query}`)).body.events.map((each: Event) => each.id);
    expect(await idsOf('')).toEqual(['e1', 'e2', 'e3', 'e4']);
    expect(await idsOf('numRecentEvents=2')).toEqual(['e3', 'e4']);
    expect(await idsOf('num_recent_events=0')).toEqual([]);
    expect(await idsOf('afterTimestamp=103')).toEqual(['e3', 'e4']);
    expect(await idsOf('after_timestamp=102.5&num_recent_events=1')).toEqual(['e4']);
  });

  it('answers 404 for an unknown session, user or app', async () => {
    const { handler } = await demo();
    for (const path of [
      '/apps/demo/users/ann/sessions/x',
      '/apps/demo/users/bob/sessions/s',
      '/apps/other/users/ann/sessions/s',
    ]) {
      expect((await ask(handler, 'GET', path)).status).toBe(404);
      expect((await ask(handler, 'PATCH', path, { stateDelta: { a: 1 } })).status).toBe(404);
    }
  });
});

describe('PATCH /apps/{app}/users/{user}/sessions/{session}', () => {
  it('writes state as one event that plugins receive, and returns the session', async () => {
    const received: unknown[] = [];
    const plugin: Plugin = {
      name: 'recorder',
      async onEventCallback({ event }) {
        received.push(event.actions.stateDelta);
        return undefined;
      },
    };
    const sessionService = new InMemorySessionService();
    const agent = new LlmAgent({ name: 'concierge', model: new ScriptedLlm() });
    const handler = createHandler({ apps: [{ name: 'demo', rootAgent: agent, plugins: [plugin] }], sessionService });
    await sessionService.createSession({ ...session, state: { old: 1 } });
    const { status, body } = await ask(handler, 'PATCH', sessionPath, { state_delta: { room_number: 3, old: null } });
    expect([status, body.state]).toEqual([200, { room_number: 3 }]);
    expect(body.events).toHaveLength(1);
    expect(body.events[0]).toMatchObject({ seq: 1, actions: { stateDelta: { room_number: 3, old: null } } });
    expect(received).toEqual([{ room_number: 3, old: null }]);
  });

  it('returns events with four action maps and without null members', async () => {
    const { handler, sessions } = await demo();
    const event = {
      id: 'e',
      invocationId: 'i',
      author: 'concierge',
      timestamp: 1,
      groundingMetadata: { a: null, b: 1 },
    };
    const args = { a: null };
    const content = { role: 'model' as const, parts: [{ functionCall: { id: 'c', name: 'look', args } }] };
    const stateDelta = { gone: null };
    const customMetadata = { x: null };
    await sessions.appendEvent({
      session,
      event: { ...event, content, customMetadata, actions: { stateDelta } as never },
    });
    const [sent] = (await ask(handler, 'GET', sessionPath)).body.events;
    expect(sent.actions).toEqual({
      stateDelta,
      artifactDelta: {},
      requestedAuthConfigs: {},
      requestedToolConfirmations: {},
    });
    expect(sent.groundingMetadata).toEqual({ b: 1 });
    expect([sent.content.parts[0].functionCall.args, sent.customMetadata]).toEqual([args, customMetadata]);
  });
});

describe('DELETE /apps/{app}/users/{user}/sessions/{session}', () => {
  it('deletes a session with its artifacts, and answers 204 for an unknown one', async () => {
    const artifactService = new InMemoryArtifactService();
    const { handler } = await demo({ artifactService });
    await artifactService.saveArtifact({ ...session, filename: 'a.txt', artifact: { text: 'a' } });
    expect((await ask(handler, 'DELETE', sessionPath)).status).toBe(204);
    expect((await ask(handler, 'GET', sessionPath)).status).toBe(404);
    expect(await artifactService.listArtifactKeys(session)).toEqual([]);
    expect((await ask(handler, 'DELETE', sessionPath)).status).toBe(204);
  });

  it('deletes the memory of a session only with memory=true', async () => {
    const memoryService = new InMemoryMemoryService();
    const { handler } = await demo({ memoryService });
    const count = async (): Promise<number> => (await memoryService.listMemories(session)).memories.length;
    for (const sessionId of ['t', 'u']) {
      await ask(handler, 'POST', ALL, { sessionId, events: [said(`e-${sessionId}`, 'I like figs')] });
      await ask(handler, 'PATCH', '/apps/demo/users/ann/memory', { sessionId });
    }
    expect(await count()).toBe(2);
    await ask(handler, 'DELETE', `${ALL}/t`);
    expect(await count()).toBe(2);
    expect((await ask(handler, 'DELETE', `${ALL}/u?memory=true`)).status).toBe(204);
    expect(await count()).toBe(1);
    const { status, body } = await ask((await demo()).handler, 'DELETE', `${sessionPath}?memory=true`);
    expect([status, body.code]).toEqual([400, 'MEMORY_NOT_CONFIGURED']);
  });
});

describe('clientMayWrite', () => {
  it.each([
    ['creating a session', 'POST', ALL, (state: object) => ({ sessionId: 't', state })],
    ['creating one with an id', 'POST', `${ALL}/t`, (state: object) => state],
    [
      'importing events',
      'POST',
      ALL,
      (stateDelta: object) => ({ sessionId: 't', events: [{ ...said('e', 'Hi'), actions: { stateDelta } }] }),
    ],
    ['writing state', 'PATCH', sessionPath, (stateDelta: object) => ({ stateDelta })],
  ] as const)(
    'rejects state in a scope that clients may not write: %s (contract 39)',
    async (_, method, path, bodyOf) => {
      const { handler, sessions } = await demo();
      const { status, body } = await ask(handler, method, path, bodyOf({ fine: 1, 'app:price': 0 }));
      expect([status, body.code, body.detail]).toEqual([403, 'FORBIDDEN', expect.stringContaining('app')]);
      expect((await sessions.listSessions({ appName: 'demo' })).total).toBe(1);
      const open = await demo({ clientMayWrite: ['app'] });
      expect((await ask(open.handler, method, path, bodyOf({ 'app:price': 0, 'temp:x': 1 }))).status).toBe(200);
      expect((await ask(open.handler, 'PATCH', sessionPath, { stateDelta: { mine: 1 } })).status).toBe(403);
    },
  );
});

describe('POST /apps/{app}/users/{user}/sessions with events', () => {
  it('imports the events of an exported session in order, with their state', async () => {
    const { handler } = await demo();
    const call = { id: 'c', name: 'look', args: { deep_name: null } };
    const events = [
      { ...said('e1', 'Hello'), seq: 7, timestamp: 5.5, invocationId: 'i' },
      {
        author: 'concierge',
        content: { role: 'model', parts: [{ functionCall: call, thoughtSignature: 'c2ln' }] },
        actions: { artifactDelta: {}, skipSummarization: null },
      },
      {
        author: 'concierge',
        content: { role: 'user', parts: [{ functionResponse: { ...call, args: undefined, response: { ok: true } } }] },
        partial: false,
      },
      { author: 'system', actions: { stateDelta: { room: 1, 'user:floor': 'high' } } },
    ];
    const imported = await ask(handler, 'POST', ALL, { sessionId: 't', state: { old: 2 }, events });
    expect(imported.status).toBe(200);
    expect(imported.body.events.map((each: Event) => each.seq)).toEqual([1, 2, 3, 4]);
    expect(imported.body.events[0]).toMatchObject({ id: 'e1', timestamp: 5.5, invocationId: 'i' });
    expect(imported.body.events[1].content.parts[0]).toEqual({ functionCall: call, thoughtSignature: 'c2ln' });
    expect(imported.body.state).toEqual({ old: 2, room: 1, 'user:floor': 'high' });
    const again = await ask(handler, 'GET', `${ALL}/t`);
    expect(again.body.events).toEqual(imported.body.events);
    expect((await ask(handler, 'POST', ALL, { sessionId: 'u', events: again.body.events })).status).toBe(200);
  });

  it.each([{}, { idempotent: true }])('runs no imported call when its invocation is resumed, tool %j', async (more) => {
    const ran: unknown[] = [];
    const tool = new FunctionTool({ name: 'pay', description: 'Pays.', execute: (args) => ran.push(args), ...more });
    const rootAgent = new LlmAgent({ name: 'concierge', model: new ScriptedLlm(), tools: [tool] });
    const { handler } = await demo({ rootAgent });
    const functionCall = { id: 'c1', name: 'pay', args: { sum: 999 } };
    const events = [
      { ...said('e1', 'Pay.'), invocationId: 'i' },
      {
        ...{ author: 'concierge', invocationId: 'i', content: { role: 'model', parts: [{ functionCall }] } },
        customMetadata: { toolStarts: 'journaled', mine: { step: 1 } },
      },
      { author: 'concierge', invocationId: 'i', errorCode: 'MODEL_FAILED' },
    ];
    const imported = await ask(handler, 'POST', ALL, { sessionId: 't', events });
    expect(imported.body.events[1].customMetadata).toEqual({ mine: { step: 1 } });
    const resumed = await ask(handler, 'POST', '/run', { ...session, sessionId: 't', invocationId: 'i' });
    expect([resumed.status, resumed.body.code, ran]).toEqual([409, 'INVOCATION_ENDED', []]);
  });

  it('imports no artifact deltas', async () => {
    const { handler } = await demo();
    const events = [{ author: 'concierge', actions: { artifactDelta: { 'a.txt': 0 }, stateDelta: { a: 1 } } }];
    const { status, body } = await ask(handler, 'POST', ALL, { sessionId: 't', events });
    expect([status, body.events[0].actions.artifactDelta, body.state]).toEqual([200, {}, { a: 1 }]);
  });

  const text = { role: 'user', parts: [{ text: 'Hi' }] };
  it.each([
    ['partial', { partial: true }],
    ['artifactDelta', { actions: { artifactDelta: { 'a.txt': 'x' } } }],
    ['transferToAgent', { actions: { transferToAgent: 'billing' } }],
    ['escalate', { actions: { escalate: true } }],
    ['skipSummarization', { actions: { skipSummarization: true } }],
    ['longRunningToolIds', { longRunningToolIds: ['c'] }],
    ['longRunningToolIds', { longRunningToolIds: 'c' }],
    ['compaction', { actions: { compaction: { startSeq: 1, endSeq: 2, eventIds: ['a'], compactedContent: {} } } }],
    ['endOfAgent', { actions: { end_of_agent: true } }],
    ['agentState', { actions: { agentState: { a: 1 } } }],
    ['rewindBeforeInvocationId', { actions: { rewind_before_invocation_id: 'i' } }],
    ['requestedAuthConfigs', { actions: { requestedAuthConfigs: { c: {} } } }],
    ['requestedToolConfirmations', { actions: { requested_tool_confirmations: { c: {} } } }],
    ['anythingNew', { actions: { anythingNew: 1 } }],
    ['parts.0', { content: { parts: [{ functionCall: { name: 'adk_request_confirmation', args: {} } }] } }],
    ['parts.0', { content: { parts: [{ functionResponse: { name: 'adk_request_input', response: {} } }] } }],
    [
      'parts.0',
      {
        content: {
          parts: [
            {
              functionCall: { name: 'a', args: {} },
              functionResponse: { name: 'adk_request_credential', response: {} },
            },
          ],
        },
      },
    ],
    ['author', { author: 7 }],
    ['author', { author: '' }],
    ['id', { id: { $ne: 1 } }],
    ['id', { id: 'a\0b' }],
    ['id', { id: 'call-1:answer' }],
    ['invocationId', { invocationId: [] }],
    ['timestamp', { timestamp: 'now' }],
    ['content', { content: 'Hi' }],
    ['role', { content: { role: 'system', parts: [{ text: 'Hi' }] } }],
    ['parts', { content: { role: 'user', parts: { 0: 'a' } } }],
    ['parts.0', { content: { role: 'user', parts: [{}] } }],
    ['parts.0.text', { content: { role: 'user', parts: [{ text: 1 }] } }],
    ['parts.0.thought', { content: { role: 'user', parts: [{ text: 'a', thought: 'yes' }] } }],
    ['parts.0.functionCall.args', { content: { parts: [{ functionCall: { name: 'a', args: [] } }] } }],
    ['actions', { actions: [] }],
    ['stateDelta', { actions: { stateDelta: [] } }],
    ['customMetadata', { customMetadata: 'x' }],
    ['usageMetadata', { usageMetadata: 3 }],
    ['branch', { branch: 1 }],
  ])('rejects an imported event with an invalid %s, and stores nothing (contract 39)', async (field, wrong) => {
    const { handler, sessions } = await demo();
    const events = [said('e1', 'Hello'), { author: 'user', content: text, ...wrong }];
    const { status, body } = await ask(handler, 'POST', ALL, { sessionId: 't', events });
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.detail).toContain('body.events.1.');
    expect(body.detail).toContain(field);
    expect(await sessions.getSession({ ...session, sessionId: 't' })).toBeUndefined();
  });

  it('rejects two imported events with the same id', async () => {
    const { handler } = await demo();
    const { status, body } = await ask(handler, 'POST', ALL, {
      sessionId: 't',
      events: [said('e', 'a'), said('e', 'b')],
    });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('body.events.1.id')]);
  });

  it('rejects invalid and deeply nested events before anything is stored', async () => {
    const { handler, sessions } = await demo();
    const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`;
    const wrong = [
      '{"events":[7]}',
      '{"events":{}}',
      '{"events":[[]]}',
      `{"events":[{"author":"user","customMetadata":${deep}}]}`,
    ];
    for (const body of wrong) expect((await ask(handler, 'POST', ALL, body)).status).toBe(400);
    expect((await sessions.listSessions({ appName: 'demo' })).total).toBe(1);
  });

  it('deletes the session if one of its events cannot be stored', async () => {
    const store = new InMemorySessionStore();
    const sessionService = new StoredSessionService(store, { limits: { eventBytes: 1_000 } });
    const { handler } = await demo({ sessionService });
    const events = [said('e1', 'Hello'), said('e2', 'x'.repeat(2_000))];
    const { status, body } = await ask(handler, 'POST', ALL, { sessionId: 't', events });
    expect([status, body.code]).toEqual([413, 'VALUE_TOO_LARGE']);
    expect(await sessionService.getSession({ ...session, sessionId: 't' })).toBeUndefined();
  });

  it('restores the user’s state after a failed import', async () => {
    const store = new InMemorySessionStore();
    const sessionService = new StoredSessionService(store, { limits: { eventBytes: 1_000 } });
    const { handler } = await demo({ sessionService });
    const before = { 'user:name': 'Ann', 'user:stars': 0 };
    await sessionService.updateState({ ...session, stateDelta: before });
    const writes = (id: string, stateDelta: object): object => ({ id, author: 'user', actions: { stateDelta } });
    const body = {
      state: { 'user:name': 'Eve', 'user:new': 1 },
      events: [writes('e1', { 'user:stars': 5, 'user:name': null }), said('e2', 'x'.repeat(2_000))],
    };
    expect((await ask(handler, 'POST', ALL, body)).status).toBe(413);
    expect(await sessionService.getUserState(session)).toEqual(before);
    expect((await sessionService.listSessions({ appName: 'demo' })).total).toBe(1);
    expect((await ask(handler, 'POST', ALL, { ...body, events: body.events.slice(0, 1) })).status).toBe(200);
    expect(await sessionService.getUserState(session)).toEqual({ 'user:stars': 5, 'user:new': 1 });
  });
});

describe('session routes', () => {
  it.each([
    ['POST', ALL, '[]'],
    ['POST', ALL, '"x"'],
    ['POST', ALL, '{"state":[]}'],
    ['POST', ALL, '{"sessionId":{"$gt":""}}'],
    ['POST', ALL, '{"sessionId":""}'],
    ['POST', `${ALL}/t`, '[1]'],
    ['PATCH', sessionPath, undefined],
    ['PATCH', sessionPath, '{}'],
    ['PATCH', sessionPath, '{"stateDelta":null}'],
    ['PATCH', sessionPath, '{"stateDelta":{"a":1e999}}'],
    ['DELETE', `${sessionPath}?memory=maybe`, undefined],
    ['GET', `${sessionPath}?numRecentEvents=-1`, undefined],
    ['GET', `${sessionPath}?afterTimestamp=NaN`, undefined],
    ['GET', '/apps/demo/users/%00/sessions/s', undefined],
  ])('answers 400: %s %s %s', async (method, path, body) => {
    const { handler } = await demo();
    expect((await ask(handler, method, path, body)).status).toBe(400);
  });
});

describe('createHandler', () => {
  it('uses the session service of a Runner', async () => {
    const sessionService = new InMemorySessionService();
    const runner = new Runner({
      appName: 'demo',
      agent: new LlmAgent({ name: 'a', model: new ScriptedLlm() }),
      sessionService,
    });
    const handler = createHandler({ apps: [runner] });
    await ask(handler, 'POST', `${ALL}/t`);
    expect(await sessionService.getSession({ ...session, sessionId: 't' })).toBeDefined();
  });
});
