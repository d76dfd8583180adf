import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler, SpanMemory } from '../../src/index.ts';
import { serve } from '../../src/node.ts';
import type { RunningServer } from '../../src/node.ts';
import { message, postInit, session } from '../demo.ts';
import { deepAndHuge, forgedEvents, missingFields, operatorObjects, protoNames, wrongTypes } from './bodies.ts';
import { SECRET } from './hostile-request.ts';
import { encodedPaths, nulAndSurrogates, unknownRoutes, wrongQueries } from './paths.ts';
import { send } from './send.ts';
import { largeHeaders, invalidUtf8, slowBodies, smuggledLengths, wrongContent } from './wire.ts';

const classes = [
  ...[wrongTypes, missingFields, operatorObjects, encodedPaths, nulAndSurrogates, protoNames, deepAndHuge],
  ...[wrongContent, invalidUtf8, unknownRoutes, wrongQueries, largeHeaders, slowBodies, smuggledLengths, forgedEvents],
];
const LIMIT_MS = 20_000;
/** Stack lines, file names, and messages of JavaScript itself. */
const INTERNALS = /\bat .+:\d+|node_modules|\.[jt]s\b|file:|\/packages\/|TypeError|RangeError|SyntaxError/;

describe('hostile requests', () => {
  it('has at least 100 requests, five or more per class, with unique names', () => {
    expect(classes.flatMap(({ requests }) => requests).length).toBeGreaterThanOrEqual(100);
    for (const { requests } of classes) {
      expect(requests.length).toBeGreaterThanOrEqual(5);
      expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length);
    }
  });
});

describe.each(classes)('createHandler with hostile requests: $name', ({ requests }) => {
  const services = {
    sessionService: new InMemorySessionService(),
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
  };
  const model = new ScriptedLlm(says('Good evening.'), says('Still here.'));
  let server: RunningServer;
  let before: string;

  beforeAll(async () => {
    const rootAgent = new LlmAgent({ name: 'concierge', model });
    // The tests of slow bodies use a short limit. On a busy machine, other large bodies need more time.
    const bodyMs = requests === slowBodies.requests ? 250 : LIMIT_MS;
    const limits = { bodyBytes: 2_000_000, bodyMs, headerBytes: 16_384 };
    const ui = async (path: string): Promise<{ body: string; type: string } | undefined> =>
      path === '' ? { body: '', type: 'text/html' } : undefined;
    const apps = [{ name: 'demo', rootAgent }];
    server = await serve(createHandler({ apps, ...services, limits, ui, traces: new SpanMemory() }), { port: 0 });
    await services.sessionService.createSession({
      ...session,
      state: { room: 7, 'user:name': 'Ann', 'app:open': true },
    });
    await services.artifactService.saveArtifact({ ...session, filename: 'plan.txt', artifact: { text: 'Sleep.' } });
    await fetch(`${server.url}/run`, postInit(message()));
    await services.memoryService.addSessionToMemory((await services.sessionService.getSession(session))!);
    before = await allStored();
  });
  afterAll(() => server.close({ timeoutMs: 0 }));

  it.each(requests)('$name: $status', async (request) => {
    const { status, type, text } = await send(server.url, request, LIMIT_MS);
    expect(`${status} ${text}`).toMatch(new RegExp(`^${request.status} `));
    expect(type).toMatch(/^application\/json/);
    const body = JSON.parse(text) as { detail: string };
    expect(body.detail).toMatch(/^.{10,600}$/);
    expect(Object.keys(body).filter((name) => name !== 'detail' && name !== 'code')).toEqual([]);
    expect(text).not.toContain(SECRET);
    expect(text).not.toMatch(INTERNALS);
    expect(await allStored()).toBe(before);
  });

  it('continues to serve the unchanged session', async () => {
    const path = `${server.url}/apps/demo/users/ann/sessions/s`;
    const textBefore = await (await fetch(path)).text();
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    const answer = (await (await fetch(`${server.url}/run`, postInit(message()))).json()) as object[];
    expect(answer).toMatchObject([{ content: { parts: [{ text: 'Still here.' }] } }]);
    const events = (text: string): unknown[] => (JSON.parse(text) as { events: unknown[] }).events;
    const after = events(await (await fetch(path)).text());
    expect(after.slice(0, -2)).toEqual(events(textBefore));
    model.assertDone();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  /** Returns all stored data of all users as JSON. */
  async function allStored(): Promise<string> {
    const { sessionService, memoryService, artifactService } = services;
    const { sessions } = await sessionService.listSessions({ appName: 'demo' });
    const fullSessions = await Promise.all(
      sessions.map(({ appName, userId, id }) => sessionService.getSession({ appName, userId, sessionId: id })),
    );
    const memories = await memoryService.listMemories({ appName: 'demo', userId: 'ann' });
    const files = await artifactService.listArtifactKeys(session);
    return JSON.stringify([
      fullSessions,
      memories,
      files,
      await artifactService.listVersions({ ...session, filename: 'plan.txt' }),
    ]);
  }
});
