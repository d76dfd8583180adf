// `node serve-runs.ts ours|routes|bare|adk`: a server in a separate process that is controlled over IPC (`Command`).
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Content, Llm, SessionService } from '@thole/core';
import { Adk, freeAnswers } from './adk.ts';
import { clearNursery, cpuTime } from './measure.ts';
import { freeModel, modelOf } from './ours.ts';

/**
 * A command for a server, which answers with a number. `sessions` deletes its sessions and creates new ones (`<prefix>0` …). `cpu`
 * returns its CPU time. `memory` returns its heap and buffers after a collection (`held`), or its resident memory. `stop` ends it.
 */
export type Command =
  | { sessions: number; prefix: string }
  | { cpu: true }
  | { memory: 'held' | 'resident' }
  | { stop: true };

interface Sessions {
  create(ids: readonly string[]): Promise<void>;
  url: string;
}

/** The methods of session services that Thole and ADK share. */
type SharedMethods = Pick<SessionService, 'createSession' | 'deleteSession'>;

const chunks = 100;
const servers: { [name: string]: () => Promise<Sessions> } = { ours, routes, bare, adk };
const served = await servers[process.argv[2]!]!();
process.on('message', (command: Command) => {
  void answer(command).then((value) => process.send!(value));
});
process.send!(served.url);

async function answer(command: Command): Promise<number> {
  if ('sessions' in command) {
    await served.create(Array.from({ length: command.sessions }, (_, i) => `${command.prefix}${i}`));
    // Objects that survive two collections leave the young generation, so that these sessions add no cost to the runs.
    clearNursery();
    clearNursery();
    return command.sessions;
  }
  if ('stop' in command) process.exit(0);
  if ('cpu' in command) return cpuTime();
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return command.memory === 'held' ? heapUsed + external : rss;
}

async function ours(): Promise<Sessions> {
  const { InMemorySessionService } = await import('@thole/mem-services');
  const { LlmAgent } = await import('@thole/runner');
  const { createHandler } = await import('@thole/server');
  const { serve } = await import('@thole/server/node');
  const sessionService = new InMemorySessionService();
  const kilobyte = 'x'.repeat(1_000);
  const endless = modelOf(async function* () {
    for (let i = 0; i < 20_000; i++) {
      if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1));
      yield { partial: true, content: { role: 'model', parts: [{ text: kilobyte }] } };
    }
    yield { content: { role: 'model', parts: [{ text: 'The end.' }] }, finishReason: 'STOP' };
  });
  const apps = [
    { name: 'app', rootAgent: new LlmAgent({ name: 'root', model: freeModel() }) },
    { name: 'streaming', rootAgent: new LlmAgent({ name: 'root', model: streamingModel() }) },
    { name: 'endless', rootAgent: new LlmAgent({ name: 'root', model: endless }) },
  ];
  const onDisconnect = process.argv[3] === 'continue' ? 'continue' : 'abort';
  const handler = createHandler({ apps, sessionService, onDisconnect, limits: { concurrentRuns: 100_000 } });
  return {
    url: (await serve(handler, { port: 0 })).url,
    create: sessionsIn(
      sessionService,
      apps.map(({ name }) => name),
    ),
  };
}

/** Two Hono routes, written by hand, that call the same runner: without limits, validation, heartbeats or cancellation. */
async function routes(): Promise<Sessions> {
  const { serve } = await import('@hono/node-server');
  const { Hono } = await import('hono');
  const { streamSSE } = await import('hono/streaming');
  const { InMemorySessionService } = await import('@thole/mem-services');
  const { LlmAgent, Runner } = await import('@thole/runner');
  const sessionService = new InMemorySessionService();
  const runnerOf = (appName: string, model: Llm): [string, InstanceType<typeof Runner>] => [
    appName,
    new Runner({ appName, agent: new LlmAgent({ name: 'root', model }), sessionService }),
  ];
  const runners = new Map([runnerOf('app', freeModel()), runnerOf('streaming', streamingModel())]);
  const app = new Hono();
  app.post('/run', async (context) => {
    const { appName, userId, sessionId, newMessage } = await context.req.json<RunRequest>();
    const events = [];
    for await (const event of runners.get(appName)!.runAsync({ userId, sessionId, newMessage })) events.push(event);
    return context.json(events);
  });
  app.post('/run_sse', async (context) => {
    const { appName, userId, sessionId, newMessage } = await context.req.json<RunRequest>();
    const run = runners.get(appName)!.runAsync({ userId, sessionId, newMessage, runConfig: { streamingMode: 'sse' } });
    return streamSSE(context, async (stream) => {
      for await (const event of run)
        await stream.writeSSE({ data: JSON.stringify(event), id: String(event.seq ?? '') });
    });
  });
  const url = await new Promise<string>((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`)),
  );
  return { url, create: sessionsIn(sessionService, [...runners.keys()]) };
}

interface RunRequest {
  appName: string;
  userId: string;
  sessionId: string;
  newMessage: Content;
}

/** Streams its answer in `chunks` parts. */
function streamingModel(): Llm {
  return modelOf(async function* () {
    for (let i = 0; i < chunks; i++) yield { partial: true, content: { role: 'model', parts: [{ text: part(i) }] } };
    const text = Array.from({ length: chunks }, (_, i) => part(i)).join('');
    yield { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' };
  });
}

/** Returns a function that deletes the sessions of its last call in all apps and creates new ones. */
function sessionsIn(sessionService: SharedMethods, appNames: readonly string[]): Sessions['create'] {
  let kept: readonly string[] = [];
  return async (ids) => {
    for (const appName of appNames) {
      for (const sessionId of kept) await sessionService.deleteSession({ appName, userId: 'u', sessionId });
      for (const sessionId of ids) await sessionService.createSession({ appName, userId: 'u', sessionId });
    }
    kept = ids;
  };
}

/** A Hono server in its usual style that sends a constant response of the same size. */
async function bare(): Promise<Sessions> {
  const { serve } = await import('@hono/node-server');
  const { Hono } = await import('hono');
  const { streamSSE } = await import('hono/streaming');
  const event = (text: string, more: object = {}): object => ({
    ...{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', id: 'event-581b09c67cf54e75a036-3' },
    ...{ invocationId: 'invocation-581b09c67cf54e75a036-1', author: 'root', timestamp: 1795342179.233 },
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    ...more,
  });
  const one = event('A room with a view is free.', { seq: 2 });
  const parts = Array.from({ length: chunks }, (_, i) => event(part(i), { partial: true }));
  const app = new Hono();
  app.post('/run', async (context) => {
    await context.req.json();
    return context.json([one]);
  });
  app.post('/run_sse', async (context) => {
    const { appName } = (await context.req.json()) as { appName: string };
    return streamSSE(context, async (stream) => {
      if (appName === 'streaming') for (const each of parts) await stream.writeSSE({ data: JSON.stringify(each) });
      await stream.writeSSE({ data: JSON.stringify(one), id: '2' });
    });
  });
  const url = await new Promise<string>((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(`http://127.0.0.1:${port}`)),
  );
  return { url, create: async () => {} };
}

async function adk(): Promise<Sessions> {
  const load = async (path: string): Promise<never> =>
    (await import(pathToFileURL(join(process.argv[3]!, path)).href)) as never;
  const { AdkApiServer }: { AdkApiServer: new (options: object) => { start(): Promise<void>; url: string } } =
    await load('dist/esm/server/adk_api_server.js');
  const module: Parameters<typeof Adk.createAgent>[0] & { InMemorySessionService: new () => SharedMethods } =
    await load('../adk/dist/esm/index.js');
  const sessionService = new module.InMemorySessionService();
  const agent = Adk.createAgent(module, freeAnswers());
  const agentFile = { load: async () => agent, [Symbol.asyncDispose]: async () => {} };
  const agentLoader = {
    listAgents: async () => ['app'],
    getAgentFile: async () => agentFile,
    disposeAll: async () => {},
  };
  const server = new AdkApiServer({
    host: '127.0.0.1',
    port: 0,
    sessionService,
    agentLoader,
    serveDebugUI: false,
    logLevel: 3,
  });
  await server.start();
  return { url: server.url, create: sessionsIn(sessionService, ['app']) };
}

function part(i: number): string {
  return `part ${i} of what is said, `;
}
