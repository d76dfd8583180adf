import { createEvent } from '@thole/core';
import { Runner, LlmAgent } from '@thole/runner';
import type { Event } from '@thole/core';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { VertexAiSessionService } from '@thole/vertex-services';
import type { VertexAiSessionServiceOptions } from '@thole/vertex-services';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleServer } from '../google-server/google-server.ts';
import { passTime } from '../pass-time.ts';

let server: GoogleServer;
let runtime: FixedRuntime;
let engine = 700;
beforeAll(async () => void (server = await GoogleServer.start()));
beforeEach(() => {
  runtime = new FixedRuntime();
  server.requests.length = 0;
  engine++;
});
afterEach(() => void (server.faults.length = 0));
afterAll(() => server.close());

function open(more: VertexAiSessionServiceOptions = {}): VertexAiSessionService {
  const place = { project: 'hotel', location: 'us-central1', agentEngineId: `${engine}` };
  return new VertexAiSessionService({ ...place, ...server.options, runtime, ...more });
}

const key = { appName: 'hotel', userId: 'ada', sessionId: 's1' };
const sessionName = (): string => `projects/hotel/locations/us-central1/reasoningEngines/${engine}/sessions/s1`;

function userEvent(id: string, text: string, more: Partial<Event> = {}): Event {
  const content = { role: 'user' as const, parts: [{ text }] };
  return { ...createEvent({ author: 'user', invocationId: 'i1', content }), id, timestamp: 1_700_000_000, ...more };
}

/** Sends a request as another program that uses the same engine. */
async function sendAsOther(method: string, path: string, body?: object): Promise<Response> {
  const { authorization } = server.requests.find(({ headers }) => headers['authorization'])!.headers;
  return fetch(`${server.url}/v1beta1/${path}`, {
    method,
    headers: { authorization: String(authorization), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe('VertexAiSessionService', () => {
  it('reads an event unchanged, with members for which the service has no field', async () => {
    const service = open();
    const session = await service.createSession(key);
    const event = userEvent('e1', 'Hello', {
      usageMetadata: { promptTokenCount: 3, totalTokenCount: 5 },
      finishReason: 'STOP',
      customMetadata: { a2a: { deep: [null, 'x\0y', '\ud800'] } },
      actions: {
        ...userEvent('x', 'x').actions,
        compaction: undefined,
        requestedToolConfirmations: { c1: { hint: 'Sure?' } },
      },
    } as Partial<Event>);
    await service.appendEvent({ session, event });
    const { compaction: _, ...actions } = event.actions;
    expect((await open().getSession(key))!.events).toEqual([{ ...event, actions, seq: 1 }]);
  });

  it('does not store temp: state', async () => {
    const service = open();
    const session = await service.createSession({ ...key, state: { 'temp:a': 1, b: 2 } });
    const event = userEvent('e1', 'Hello');
    event.actions.stateDelta = { 'temp:c': 3, d: 4, 'user:e': 5, 'app:f': 6 };
    await service.appendEvent({ session, event });
    expect(JSON.stringify(server.requestsOn('POST').map(({ json }) => json))).not.toContain('temp:');
    expect((await open().getSession(key))!.state).toEqual({ b: 2, d: 4, 'user:e': 5, 'app:f': 6 });
  });

  it('reads sessions and events of another ADK', async () => {
    const service = open();
    await service.listSessions(key);
    const parent = sessionName().replace('/sessions/s1', '');
    await sendAsOther('POST', `${parent}/sessions?sessionId=s1`, { userId: 'ada', sessionState: { room: 7 } });
    await sendAsOther('POST', `${sessionName()}:appendEvent`, {
      author: 'concierge',
      invocationId: 'i9',
      timestamp: '2026-01-02T03:04:05.5Z',
      content: { role: 'model', parts: [{ text: 'Good evening!' }] },
      actions: { stateDelta: { room: 8 }, transferAgent: 'booking' },
      eventMetadata: { turnComplete: true, branch: 'a.b' },
      rawEvent: { id: 'adk-1', usage_metadata: { prompt_token_count: 3 } },
    });
    const read = await service.getSession(key);
    expect(read).toMatchObject({ state: { room: 8 }, lastSeq: 1 });
    expect(read!.events[0]).toMatchObject({
      ...{
        id: 'adk-1',
        author: 'concierge',
        invocationId: 'i9',
        timestamp: Date.parse('2026-01-02T03:04:05.5Z') / 1000,
      },
      ...{ content: { role: 'model', parts: [{ text: 'Good evening!' }] }, branch: 'a.b', turnComplete: true },
      actions: { transferToAgent: 'booking', stateDelta: { room: 8 } },
    });
  });

  it('reads complete events of other writers without empty maps, or with names in snake case', async () => {
    const service = open();
    await service.createSession(key);
    const content = { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: {} } }] };
    const event = { author: 'concierge', invocationId: 'i9', content };
    const append = (timestamp: string, rawEvent: object): Promise<Response> =>
      sendAsOther('POST', `${sessionName()}:appendEvent`, { ...event, timestamp, rawEvent });
    await append('2026-01-02T03:04:05Z', { ...event, id: 'e1', timestamp: 1, actions: { stateDelta: { a: 1 } } });
    const parts = [{ function_call: { id: 'c1', name: 'look', args: {} } }];
    const snake = { id: 'e2', invocation_id: 'i9', author: 'concierge', content: { role: 'model', parts } };
    await append('2026-01-02T03:04:06Z', { ...snake, actions: { state_delta: {} } });
    const { actions } = createEvent({ author: 'user' });
    const read = (await service.getSession(key))!.events;
    expect(read).toMatchObject([
      { id: 'e1', actions: { ...actions, stateDelta: { a: 1 } } },
      { id: 'e2', invocationId: 'i9', content, actions },
    ]);
  });

  it('neither reads, changes nor deletes a session of another user', async () => {
    const service = open();
    const session = await service.createSession({ ...key, state: { secret: 1 } });
    const other = { ...key, userId: 'bob' };
    expect(await service.getSession(other)).toBeUndefined();
    expect((await service.listSessions(other)).sessions).toEqual([]);
    await service.deleteSession(other);
    await expect(
      service.appendEvent({ session: { ...session, userId: 'bob' }, event: userEvent('e1', 'Hello') }),
    ).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await service.getSession(key)).toMatchObject({ state: { secret: 1 }, events: [] });
    expect(server.requestsOn('DELETE')).toEqual([]);
  });

  it('filters sessions by user on the server, with quotes escaped', async () => {
    const service = open();
    const userId = 'a"b\\c';
    await service.createSession({ ...key, userId });
    expect((await service.listSessions({ appName: 'hotel', userId })).sessions).toHaveLength(1);
    expect(server.requestsOn('GET', '/sessions').at(-1)!.query.get('filter')).toBe('user_id="a\\"b\\\\c"');
  });

  it('stores an event once if the answer to its append is lost', async () => {
    const service = open();
    const session = await service.createSession(key);
    server.faults.push({ on: ':appendEvent', afterWork: true, answer: 'cut' });
    await passTime(runtime, service.appendEvent({ session, event: userEvent('e1', 'Hello') }));
    server.faults.push({ on: ':appendEvent', answer: { status: 503, json: {} } });
    await passTime(runtime, service.appendEvent({ session, event: userEvent('e2', 'Hello again') }));
    expect(server.sessions.eventsOf(sessionName()).map(({ rawEvent }) => (rawEvent as Event).id)).toEqual(['e1', 'e2']);
  });

  it('creates a session once if the answer is lost', async () => {
    server.faults.push({ on: 'POST /sessions', afterWork: true, answer: 'cut' });
    expect(await passTime(runtime, open().createSession(key))).toMatchObject({ id: 's1' });
  });

  it('stores an event once if the answer to its append is not JSON', async () => {
    const service = open();
    const session = await service.createSession(key);
    server.faults.push({ on: ':appendEvent', afterWork: true, answer: { bytes: Buffer.from('<html>') } });
    await passTime(runtime, service.appendEvent({ session, event: userEvent('e1', 'Hello') }));
    expect(server.sessions.eventsOf(sessionName()).map(({ rawEvent }) => (rawEvent as Event).id)).toEqual(['e1']);
  });

  it('creates a session if its operation cannot be read', async () => {
    server.faults.push({ on: 'GET /operations/', answer: { status: 404, json: {} } });
    expect(await open().createSession(key)).toMatchObject({ id: 's1' });
  });

  it('names the session ids that Vertex AI accepts', async () => {
    await expect(open().createSession({ ...key, sessionId: 'session_info' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message:
        'sessionId must have 1 to 63 letters, digits and hyphens on Vertex AI: use "session-info", not "session_info".',
    });
    expect(server.requests).toEqual([]);
  });

  it('treats a session as missing if another process deletes it between two requests', async () => {
    const service = open();
    const session = await service.createSession(key);
    const deleteNow = (): number => server.faults.push({ on: 'GET /events', answer: { status: 404, json: {} } });
    deleteNow();
    expect(await open().getSession(key)).toBeUndefined();
    deleteNow();
    await expect(open().appendEvent({ session, event: userEvent('e1', 'Hello') })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    deleteNow();
    expect(await open().deleteSession({ ...key, ifLastSeq: 0 })).toBe(false);
  });

  it('lists the other sessions if another process deletes one between two requests', async () => {
    const service = open();
    await service.createSession(key);
    const parent = sessionName().replace('/sessions/s1', '');
    await sendAsOther('POST', `${parent}/sessions?sessionId=s2`, { userId: 'ada' });
    server.faults.push({ on: 'GET /sessions/s2/events', answer: { status: 404, json: {} } });
    expect((await service.listSessions(key)).sessions.map(({ id }) => id)).toEqual(['s1']);
  });

  it('reads the state of a user while sessions of the user are deleted', async () => {
    const service = open();
    await service.createSession({ ...key, state: { 'user:name': 'Ada' } });
    await service.createSession({ ...key, sessionId: 's2' });
    server.faults.push({ on: 'GET /sessions/s2', answer: { status: 404, json: {} } });
    expect(await service.getUserState(key)).toEqual({ 'user:name': 'Ada' });
  });

  it('reads the state of a user if its temporary session stays, and deletes it with the user', async () => {
    const service = open({ maxAttempts: 1 });
    server.faults.push({ on: 'DELETE /sessions/', answer: { status: 500, json: {} } });
    expect(await service.getUserState(key)).toEqual({});
    expect(server.sessions.idsOf(`${engine}`)).toHaveLength(1);
    await service.deleteUserData(key);
    expect(server.sessions.idsOf(`${engine}`)).toEqual([]);
  });

  it('deletes the data of a user without an event in the sessions of another app', async () => {
    const service = open();
    await service.createSession({ ...key, state: { 'user:name': 'Ada' } });
    await service.createSession({ ...key, appName: 'cafe', sessionId: 's2' });
    await service.deleteUserData(key);
    expect(await service.getUserState(key)).toEqual({});
    expect((await service.getSession({ ...key, appName: 'cafe', sessionId: 's2' }))!.events).toEqual([]);
  });

  it('names an Agent Engine that does not exist', async () => {
    server.sessions.missingEngines.add(`${engine}`);
    const message = `The Agent Engine projects/hotel/locations/us-central1/reasoningEngines/${engine} does not exist. Check agentEngineId or appName, the project and the location.`;
    const service = open();
    for (const call of [
      () => service.createSession(key),
      () => service.getSession(key),
      () => service.listSessions(key),
      () => service.deleteSession(key),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: false, message });
  });

  it('runs one invocation of a session at a time in one process, without leases of the service', async () => {
    const sessionService = open({ runtime: undefined });
    await sessionService.createSession(key);
    const model = new ScriptedLlm(says('One.'), says('Two.'));
    const runner = new Runner({
      appName: 'hotel',
      agent: new LlmAgent({ name: 'concierge', model }),
      sessionService,
    });
    const run = (text: string): Promise<Event[]> =>
      Array.fromAsync(
        runner.runAsync({ userId: 'ada', sessionId: 's1', newMessage: { role: 'user', parts: [{ text }] } }),
      );
    await Promise.all([run('First.'), run('Second.')]);
    const { events } = (await open().getSession(key))!;
    const invocations = events.map(({ invocationId }) => invocationId);
    expect(new Set(invocations).size).toBe(2);
    expect(invocations).toEqual([...invocations].sort((a, b) => invocations.indexOf(a) - invocations.indexOf(b)));
    expect(model.requests.map(({ contents }) => contents.length)).toEqual([1, 3]);
  });
});
