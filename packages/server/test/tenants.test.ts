import { createEvent, TholeError } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createHandler, SpanMemory } from '../src/index.ts';
import type { Handler, HandlerOptions } from '../src/index.ts';
import { toItems } from '../src/openai/conversation-items.ts';
import { routes } from '../src/routes.ts';
import { postInit } from './demo.ts';

const SECRET = 'hunter2-of-anns';
const ann = { appName: 'demo', userId: 'ann', sessionId: 'hers' };
const cases = routes.flatMap((route) => route.paths.map((path) => ({ route, path, title: `${route.method} ${path}` })));

/** Accepts the token `<name>-token` for each user. */
const authorize: HandlerOptions['authorize'] = (request, { userId }) => {
  const name = /^Bearer (\w+)-token$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (name === undefined) throw new TholeError('UNAUTHENTICATED', 'The request must have a token.');
  return userId === undefined || userId === name;
};

interface TenantServer {
  handler: Handler;
  /** Returns all stored data of ann as JSON. */
  stored(): Promise<string>;
  params: { [name: string]: string };
}

/** Creates a handler with data of ann: a session, state, an artifact, memory and a run. */
async function createServer(): Promise<TenantServer> {
  const services = {
    sessionService: new InMemorySessionService(),
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
  };
  const { sessionService, memoryService, artifactService } = services;
  const rootAgent = new LlmAgent({ name: 'a', model: new ScriptedLlm(says(SECRET), says('x'), says('y')) });
  const apps = [{ name: 'demo', rootAgent }];
  const handler = createHandler({ apps, ...services, authorize, traces: new SpanMemory(), onDisconnect: 'continue' });
  const state = { plan: SECRET, 'user:name': SECRET };
  await sessionService.createSession({ ...ann, state });
  await artifactService.saveArtifact({ ...ann, filename: 'plan.txt', artifact: { text: SECRET } });
  await sessionService.createSession({ ...ann, sessionId: 'waiting' });
  const functionCall = { id: 'c1', name: 'ask', args: { plan: SECRET } };
  const request = {
    author: 'a',
    invocationId: 'i',
    longRunningToolIds: ['c1'],
    content: { parts: [{ functionCall }] },
  };
  const session = { ...ann, sessionId: 'waiting' };
  await sessionService.appendEvent({ session, event: createEvent(request), marks: { openInterrupts: 1 } });
  const newMessage = { parts: [{ text: SECRET }] };
  const headers = { authorization: 'Bearer ann-token' };
  const run = await handler(new Request('http://localhost/run', postInit({ ...ann, newMessage }, { headers })));
  const [event] = (await run.json()) as { id: string; invocationId: string }[];
  await memoryService.addSessionToMemory((await sessionService.getSession(ann))!);
  const { memories } = await memoryService.listMemories(ann);
  const [item] = toItems((await sessionService.getSession(ann))!.events, ann.sessionId);
  const stored = async (): Promise<string> =>
    JSON.stringify([
      await sessionService.getSession(ann),
      await sessionService.listSessions({ appName: 'demo' }),
      await memoryService.listMemories(ann),
      await artifactService.listVersions({ ...ann, filename: 'plan.txt' }),
    ]);
  return {
    ...{ handler, stored },
    params: {
      ...{
        app: 'demo',
        model: 'demo',
        user: 'ann',
        session: 'hers',
        name: 'plan.txt',
        version: '0',
        memory: memories[0]!.id!,
      },
      ...{ event: event!.id, invocation: event!.invocationId, item: item!['id'] as string },
    },
  };
}

/** The route that creates a session with an id. In this test the id exists already. */
const TAKEN = 'POST /apps/:app/users/:user/sessions/:session';

/** The route that rejects each request, because a single item cannot be deleted. */
const REJECTED = 'DELETE /v1/conversations/:session/items/:item';

/** Bodies that would change data without authorization. */
const bodies: { [title: string]: unknown } = {
  'POST /run': { ...ann, newMessage: { parts: [{ text: 'x' }] } },
  'POST /run_sse': { ...ann, newMessage: { parts: [{ text: 'x' }] } },
  'POST /ui/:app/chat': { id: 'hers', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  'POST /ag-ui/:app': { threadId: 'hers', runId: 'r', messages: [{ role: 'user', content: 'x' }] },
  'POST /v1/chat/completions': {
    ...{ model: 'demo', metadata: { session_id: 'hers' }, messages: [{ role: 'user', content: 'x' }] },
  },
  'POST /v1/responses': { model: 'demo', conversation: 'hers', input: 'x' },
  'POST /v1/conversations/:session': { metadata: { plan: 'x' } },
  'POST /v1/conversations/:session/items': { items: [{ role: 'user', content: 'x' }] },
  'PATCH /apps/:app/users/:user/sessions/:session': { stateDelta: { plan: 'x' } },
  'PATCH /apps/:app/users/:user/memory': { sessionId: 'hers' },
  'POST /apps/:app/users/:user/memory': { memories: [{ text: 'x' }] },
  'POST /apps/:app/users/:user/memory/forget': { ids: ['x'] },
  'POST /apps/:app/users/:user/sessions/:session/artifacts': { filename: 'plan.txt', artifact: { text: 'x' } },
};

function bodyOf(title: string, params: TenantServer['params']): unknown {
  return title.endsWith('/rewind') ? { rewindBeforeInvocationId: params['invocation'] } : (bodies[title] ?? {});
}

async function ask(
  { handler, params }: TenantServer,
  { route, path, title }: (typeof cases)[number],
  token?: string,
): Promise<{ status: number; text: string }> {
  const url = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const init: RequestInit = route.method === 'GET' ? {} : postInit(bodyOf(title, params), { method: route.method });
  // Names the user for routes whose path and body have no user.
  const userHeader = { 'x-user-id': params['user']! };
  const headers = {
    ...(init.headers as object),
    ...userHeader,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await handler(new Request(`http://localhost${url}`, { ...init, headers }));
  return { status: response.status, text: await response.text() };
}

/** True for routes without user data. Every authenticated client may use them. */
const hasNoUserData = (path: string): boolean =>
  /list-apps|app-info|build_graph|eval[-_]|metrics-info|openapi/.test(path);

describe.each(cases.filter(({ route }) => route.access !== 'open'))('$title', (each) => {
  it('shows and changes nothing of another user', async () => {
    const server = await createServer();
    const before = await server.stored();
    const { status, text } = await ask(server, each, 'bob-token');
    // Responses for traces of another user and for missing traces are equal.
    const traceRoute = /trace\/(session\/)?:/.exec(each.path);
    const traceStatus = traceRoute?.[1] ? 200 : 404;
    const isInbox = each.path === '/apps/:app/interrupts';
    const expected = traceRoute ? traceStatus : isInbox || hasNoUserData(each.path) ? 200 : 403;
    expect([status, text.includes(SECRET)]).toEqual([expected, false]);
    if (traceRoute?.[1]) expect(text).toBe('[]');
    if (isInbox) expect(text).toBe('{"interrupts":[]}');
    expect(await server.stored()).toBe(before);
  });

  it('rejects a client without a valid token', async () => {
    const server = await createServer();
    const before = await server.stored();
    for (const token of [undefined, '', 'ann', 'ann-token-']) {
      const { status, text } = await ask(server, each, token);
      expect([status, text.includes(SECRET)]).toEqual([401, false]);
    }
    expect(await server.stored()).toBe(before);
  });

  it('serves the user', async () => {
    const { status } = await ask(await createServer(), each, 'ann-token');
    if (each.title === TAKEN) expect(status).toBe(409);
    else if (each.title === REJECTED) expect(status).toBe(400);
    else expect(status).toBeLessThan(300);
  });
});

describe('createHandler with authorize', () => {
  it('does not reach a session of another user through other paths or bodies', async () => {
    const server = await createServer();
    const before = await server.stored();
    const headers = { authorization: 'Bearer bob-token' };
    const get = async (path: string): Promise<number> =>
      (await server.handler(new Request(`http://localhost${path}`, { headers }))).status;
    const bobsSessions = '/apps/demo/users/bob/sessions';
    expect(await get(`${bobsSessions}/hers`)).toBe(404);
    expect(await get(`${bobsSessions}/..%2F..%2Fann%2Fsessions%2Fhers`)).toBe(404);
    expect(await get(`${bobsSessions}/../../ann/sessions/hers`)).toBe(403);
    expect(await get(`${bobsSessions}/%2e%2e/%2e%2e/ann/sessions/hers`)).toBe(403);
    expect(await get(`/apps/demo/users/bob/sessions/hers/artifacts/plan.txt`)).toBe(404);
    expect(await get(`${bobsSessions}/hers/runs/${server.params['invocation']}/events`)).toBe(404);
    expect(await get(`/apps/demo/users/bob%2F..%2Fann/sessions`)).toBe(403);
    const run = async (body: object): Promise<number> =>
      (await server.handler(new Request('http://localhost/run', postInit(body, { headers })))).status;
    const newMessage = { parts: [{ text: 'x' }] };
    expect(await run({ ...ann, userId: 'bob', newMessage })).toBe(404);
    // If a body has both spellings, the same user is authorized and used. Ann's session is forbidden, and bob has no session
    // with that id.
    for (const both of [
      { ...ann, user_id: 'bob', newMessage },
      { user_id: 'bob', ...ann, newMessage },
    ])
      expect([403, 404]).toContain(await run(both));
    expect(await server.stored()).toBe(before);
  });
});
