import { TholeError } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createHandler, SpanMemory } from '../src/index.ts';
import type { Handler, HandlerOptions } from '../src/index.ts';
import { routes } from '../src/routes.ts';
import { posting } from './demo.ts';

const SECRET = 'hunter2-of-anns';
const ann = { appName: 'demo', userId: 'ann', sessionId: 'hers' };
const rows = routes.flatMap((row) => row.paths.map((path) => ({ row, path, title: `${row.method} ${path}` })));

/** Every user has a token: their name and `-token`. */
const authorize: HandlerOptions['authorize'] = (request, { userId }) => {
  const name = /^Bearer (\w+)-token$/.exec(request.headers.get('authorization') ?? '')?.[1];
  if (name === undefined) throw new TholeError('UNAUTHENTICATED', 'The request must show a token.');
  return userId === undefined || userId === name;
};

interface House {
  handler: Handler;
  /** What is true of everything that is stored of ann. */
  stored(): Promise<string>;
  names: { [name: string]: string };
}

/** Where ann has a session, state, a file, a memory and a run. */
async function house(): Promise<House> {
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
  const newMessage = { parts: [{ text: SECRET }] };
  const headers = { authorization: 'Bearer ann-token' };
  const run = await handler(new Request('http://localhost/run', posting({ ...ann, newMessage }, { headers })));
  const [event] = (await run.json()) as { id: string; invocationId: string }[];
  await memoryService.addSessionToMemory((await sessionService.getSession(ann))!);
  const { memories } = await memoryService.listMemories(ann);
  const stored = async (): Promise<string> =>
    JSON.stringify([
      await sessionService.getSession(ann),
      await sessionService.listSessions({ appName: 'demo' }),
      await memoryService.listMemories(ann),
      await artifactService.listVersions({ ...ann, filename: 'plan.txt' }),
    ]);
  return {
    ...{ handler, stored },
    names: {
      ...{ app: 'demo', user: 'ann', session: 'hers', name: 'plan.txt', version: '0', memory: memories[0]!.id! },
      ...{ event: event!.id, invocation: event!.invocationId },
    },
  };
}

/** It makes a session, and hers is there. */
const TAKEN = 'POST /apps/:app/users/:user/sessions/:session';

/** Bodies that would do something, if they were let. */
const bodies: { [title: string]: unknown } = {
  'POST /run': { ...ann, newMessage: { parts: [{ text: 'x' }] } },
  'POST /run_sse': { ...ann, newMessage: { parts: [{ text: 'x' }] } },
  'PATCH /apps/:app/users/:user/sessions/:session': { stateDelta: { plan: 'x' } },
  'PATCH /apps/:app/users/:user/memory': { sessionId: 'hers' },
  'POST /apps/:app/users/:user/memory': { memories: [{ text: 'x' }] },
  'POST /apps/:app/users/:user/sessions/:session/artifacts': { filename: 'plan.txt', artifact: { text: 'x' } },
};

async function ask(
  { handler, names }: House,
  { row, path, title }: (typeof rows)[number],
  token?: string,
): Promise<{ status: number; text: string }> {
  const at = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const init: RequestInit = row.method === 'GET' ? {} : posting(bodies[title] ?? {}, { method: row.method });
  const headers = { ...(init.headers as object), ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await handler(new Request(`http://localhost${at}`, { ...init, headers }));
  return { status: response.status, text: await response.text() };
}

/** Rows that say nothing of anybody, and are answered to whoever is known. */
const common = (path: string): boolean => /list-apps|app-info|build_graph|eval[-_]|metrics-info|openapi/.test(path);

describe.each(rows.filter(({ row }) => row.access !== 'open'))('Of $title', (each) => {
  it('another tenant sees nothing of hers and changes nothing', async () => {
    const at = await house();
    const before = await at.stored();
    const { status, text } = await ask(at, each, 'bob-token');
    // Of traces nothing tells what is not there from what is another's.
    const ofTraces = /trace\/(session\/)?:/.exec(each.path);
    const forTraces = ofTraces?.[1] ? 200 : 404;
    const expected = ofTraces ? forTraces : common(each.path) ? 200 : 403;
    expect([status, text.includes(SECRET)]).toEqual([expected, false]);
    if (ofTraces?.[1]) expect(text).toBe('[]');
    expect(await at.stored()).toBe(before);
  });

  it('somebody unknown sees nothing at all', async () => {
    const at = await house();
    const before = await at.stored();
    for (const token of [undefined, '', 'ann', 'ann-token-']) {
      const { status, text } = await ask(at, each, token);
      expect([status, text.includes(SECRET)]).toEqual([401, false]);
    }
    expect(await at.stored()).toBe(before);
  });

  it('she herself is served', async () => {
    const { status } = await ask(await house(), each, 'ann-token');
    if (each.title === TAKEN) expect(status).toBe(409);
    else expect(status).toBeLessThan(300);
  });
});

it('a tenant cannot reach another’s session under a name of their own', async () => {
  const at = await house();
  const before = await at.stored();
  const headers = { authorization: 'Bearer bob-token' };
  const get = async (path: string): Promise<number> =>
    (await at.handler(new Request(`http://localhost${path}`, { headers }))).status;
  const bobs = '/apps/demo/users/bob/sessions';
  expect(await get(`${bobs}/hers`)).toBe(404);
  expect(await get(`${bobs}/..%2F..%2Fann%2Fsessions%2Fhers`)).toBe(404);
  expect(await get(`${bobs}/../../ann/sessions/hers`)).toBe(403);
  expect(await get(`${bobs}/%2e%2e/%2e%2e/ann/sessions/hers`)).toBe(403);
  expect(await get(`/apps/demo/users/bob/sessions/hers/artifacts/plan.txt`)).toBe(404);
  expect(await get(`${bobs}/hers/runs/${at.names['invocation']}/events`)).toBe(404);
  expect(await get(`/apps/demo/users/bob%2F..%2Fann/sessions`)).toBe(403);
  const run = async (body: object): Promise<number> =>
    (await at.handler(new Request('http://localhost/run', posting(body, { headers })))).status;
  const newMessage = { parts: [{ text: 'x' }] };
  expect(await run({ ...ann, userId: 'bob', newMessage })).toBe(404);
  // Who is asked about is who is acted for, whichever of two spellings counts: hers are forbidden, and he has none of that name.
  for (const both of [
    { ...ann, user_id: 'bob', newMessage },
    { user_id: 'bob', ...ann, newMessage },
  ])
    expect([403, 404]).toContain(await run(both));
  expect(await at.stored()).toBe(before);
});
