import type { ReadonlyContext } from '@thole/core';
import { calls, callsAll, FixedRuntime, says } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpToolset } from '../../src/index.ts';
import type { McpToolsetOptions, StreamableHTTPConnectionParams } from '../../src/index.ts';
import { AgentRun, contextOf } from './servers/agent-run.ts';
import { HttpServer } from './servers/http-server.ts';
import { startSessionServer } from './servers/session-server.ts';
import type { SessionServer } from './servers/session-server.ts';
import { startToolServer } from './servers/tool-server.ts';

const done = async (): Promise<{ content: [{ type: 'text'; text: string }] }> => ({
  content: [{ type: 'text', text: 'Done.' }],
});

async function sessionServer(): Promise<SessionServer> {
  const server = await startSessionServer((mcp) => void mcp.registerTool('read', {}, done));
  onTestFinished(() => server.http.close());
  return server;
}

async function modernServer(): Promise<HttpServer> {
  const server = await startToolServer((mcp) => void mcp.registerTool('read', {}, done), { legacy: 'reject' });
  onTestFinished(() => server.close());
  return server;
}

function createRun(
  server: HttpServer,
  script: ConstructorParameters<typeof AgentRun>[1],
  p: { params?: Partial<StreamableHTTPConnectionParams>; options?: McpToolsetOptions; userId?: string } = {},
): AgentRun & { toolset: McpToolset } {
  const toolset = new McpToolset(server.params(p.params), undefined, p.options);
  return Object.assign(new AgentRun(toolset, script, p), { toolset });
}

const failure = (message: string): object =>
  expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringContaining(message) }) });

describe('McpToolset connections', () => {
  it('uses one connection for all steps and for concurrent calls', async () => {
    const server = await sessionServer();
    const run = createRun(server.http, [callsAll(['read', {}], ['read', {}]), calls('read'), says('Done.')]);
    await run.say();
    expect(run.responses).toHaveLength(3);
    expect(server.count()).toBe(1);
  });

  it('opens one connection for concurrent users', async () => {
    const server = await sessionServer();
    const toolset = new McpToolset(server.http.params());
    const runs = ['ada', 'bob'].map((userId) => new AgentRun(toolset, [says('Hi.')], { userId }));
    await Promise.all(runs.map((run) => run.say()));
    expect(server.count()).toBe(1);
  });

  it('opens a new session and repeats the call if the server has lost the session', async () => {
    const server = await sessionServer();
    const run = createRun(server.http, [says('1'), calls('read'), says('2')]);
    await run.say();
    server.sessions.clear();
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
    expect(server.count()).toBe(2);
  });

  it.each([true, false])(
    'repeats all concurrent calls of a lost session (terminateOnClose %s)',
    async (terminateOnClose) => {
      const server = await sessionServer();
      const both = callsAll(['read'], ['read']);
      const run = createRun(server.http, [says('1'), both, says('2')], { params: { terminateOnClose } });
      await run.say();
      server.sessions.clear();
      const { handle } = server.http;
      let refused = 0;
      server.http.handle = async (request) => {
        const response = await handle(request);
        // The second refusal arrives when the first call was repeated.
        if (response.status === 404 && ++refused === 2)
          await expect.poll(() => server.count(), { interval: 1 }).toBe(2);
        return response;
      };
      await run.say();
      expect(run.responses).toEqual([{ result: 'Done.' }, { result: 'Done.' }]);
      expect(server.count()).toBe(2);
    },
  );

  it.each(['older', 'newer'])('connects again after the server has replaced the %s protocol', async (protocol) => {
    const servers = [(await sessionServer()).http, await modernServer()];
    const [server, updated] = protocol === 'older' ? servers : servers.toReversed();
    const run = createRun(server!, [says('1'), calls('read'), says('2')]);
    await run.say();
    server!.handle = updated!.handle;
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
  });

  it('connects again if the server refuses the version of the protocol with a text', async () => {
    const server = await modernServer();
    const run = createRun(server, [says('1'), calls('read'), says('2')]);
    await run.say();
    const older = await startToolServer((mcp) => void mcp.registerTool('read', {}, done));
    onTestFinished(() => older.close());
    server.handle = async (request) => {
      if (!request.headers.get('mcp-protocol-version')?.startsWith('2026')) return older.handle(request);
      const error = { code: -32_000, message: 'Bad Request: Unsupported protocol version: 2026-07-28' };
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
    };
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
  });

  it('ends an attempt to connect when the toolset is closed', async () => {
    const server = await HttpServer.start(() => new Promise<Response>(() => undefined));
    onTestFinished(() => server.close());
    const toolset = new McpToolset(server.params({ timeout: Infinity }));
    const tools = expect(toolset.getTools(contextOf('ada'))).rejects.toThrow('was closed while it connected');
    await expect.poll(() => server.requests, { interval: 1 }).toHaveLength(1);
    await toolset.close();
    await tools;
  });

  it('leaves no timer after a call', async () => {
    const runtime = new FixedRuntime();
    const run = createRun(await modernServer(), [calls('read'), says('2')], { options: { runtime } });
    await run.say();
    await run.runner.close();
    expect(runtime.pending).toBe(0);
  });

  it('ends the session when it is idle, and opens another one when it is needed', async () => {
    const server = await sessionServer();
    const runtime = new FixedRuntime();
    const run = createRun(server.http, [says('1'), calls('read'), says('2')], {
      options: { runtime, idleTimeoutMs: 1_000 },
    });
    await run.say();
    expect(server.sessions.size).toBe(1);
    await runtime.advance(1_000);
    await expect.poll(() => server.sessions.size).toBe(0);
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
    expect(server.count()).toBe(2);
  });

  it('ends the session when the runner is closed, unless terminateOnClose is false', async () => {
    const server = await sessionServer();
    const run = createRun(server.http, [says('1')]);
    await run.say();
    await run.runner.close();
    expect(server.sessions.size).toBe(0);
    const other = createRun(server.http, [says('1')], { params: { terminateOnClose: false } });
    await other.say();
    await other.runner.close();
    expect(server.sessions.size).toBe(1);
  });

  it.each(['legacy', 'modern'] as const)('detects the %s protocol of the server only once', async (protocol) => {
    const server = protocol === 'legacy' ? (await sessionServer()).http : await modernServer();
    const runtime = new FixedRuntime();
    const run = createRun(server, [says('1'), calls('read'), says('2')], { options: { runtime } });
    await run.say();
    await runtime.advance(300_000);
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
    const { methods } = server;
    expect(methods.filter((method) => method === 'server/discover')).toHaveLength(1);
    expect(methods.filter((method) => method === 'initialize')).toHaveLength(protocol === 'legacy' ? 2 : 0);
  });

  it('fails while the server is unavailable, and works afterwards', async () => {
    const server = await sessionServer();
    const { handle } = server.http;
    const run = createRun(server.http, [says('1')]);
    for (const status of [503, 500]) {
      server.http.handle = () => Response.json({}, { status });
      const message = expect.stringContaining(`answered with status ${status}`);
      await expect(run.say()).rejects.toMatchObject({ cause: { message, retryable: true } });
    }
    server.http.handle = handle;
    await run.say();
    const closed = await HttpServer.start(() => new Response());
    const early = createRun(closed, []);
    await closed.close();
    await expect(early.say()).rejects.toEqual(failure('cannot be reached'));
  });

  it('says that a call may have taken effect if the connection ends before the response', async () => {
    const server = await sessionServer();
    const { handle } = server.http;
    server.http.handle = async (request) => {
      if ((await request.clone().text()).includes('tools/call')) server.http.closeConnections();
      return handle(request);
    };
    const run = createRun(server.http, [calls('read'), says('2')]);
    await run.say();
    const error = expect.stringMatching(/closed the connection before its response.* may or may not have taken effect/);
    expect(run.responses).toEqual([{ error }]);
    expect(server.http.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });
});

describe('McpToolset headers', () => {
  it('sends the headers of each user, also when it lists tools, over a connection of the user', async () => {
    const server = await sessionServer();
    const seen: string[] = [];
    const header = async ({ userId, sessionId }: ReadonlyContext): Promise<{ [name: string]: string }> => {
      seen.push(`${userId} ${sessionId}`);
      return { authorization: `Bearer ${userId}-${seen.length}`, 'x-tenant': 'eu' };
    };
    const toolset = new McpToolset(server.http.params({ header }));
    for (const userId of ['ada', 'bob']) {
      const run = new AgentRun(toolset, [calls('read'), says('Done.')], { userId });
      await run.say();
    }
    expect(server.count()).toBe(2);
    const sent = server.http.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers, body }) => {
        const { method } = JSON.parse(body) as { method: string };
        return `${method} ${headers.get('authorization')!.replace('Bearer ', '')} ${headers.get('x-tenant')}`;
      });
    expect(sent.filter((line) => line.includes('ada'))).toEqual([
      'server/discover ada-1 eu',
      'initialize ada-1 eu',
      'notifications/initialized ada-1 eu',
      'tools/list ada-1 eu',
      'tools/call ada-2 eu',
    ]);
    expect(sent.filter((line) => line.includes('bob')).at(-1)).toBe('tools/call bob-5 eu');
  });

  it('sends different headers with two concurrent calls of a user', async () => {
    const server = await sessionServer();
    let waiting: (() => void)[] = [];
    const header = async ({ sessionId }: ReadonlyContext): Promise<{ [name: string]: string }> => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < 2) return;
        for (const proceed of waiting) proceed();
        waiting = [];
      });
      return { 'x-tenant': sessionId };
    };
    const toolset = new McpToolset(server.http.params({ header }));
    const tenants = ['eu', 'us'];
    const runs = tenants.map(
      (sessionId) => new AgentRun(toolset, [calls('read', { tenant: sessionId }), says('Done.')], { sessionId }),
    );
    await Promise.all(runs.map((run) => run.say()));
    const sent = server.http.requests
      .filter(({ body }) => body.includes('tools/call'))
      .map(({ headers, body }) => {
        const { params } = JSON.parse(body) as { params: { arguments: { tenant: string } } };
        return `${params.arguments.tenant} ${headers.get('x-tenant')}`;
      });
    expect(sent.toSorted()).toEqual(tenants.map((tenant) => `${tenant} ${tenant}`));
    expect(server.count()).toBe(1);
  });

  it('rejects headers that are not allowed, without their values', async () => {
    const server = await sessionServer();
    const run = createRun(server.http, [], { params: { header: () => ({ authorization: 'secret\r\nx: y' }) } });
    await expect(run.say()).rejects.toEqual(failure('header contains a name or a value that is not allowed'));
    expect(server.http.requests).toEqual([]);
  });
});
