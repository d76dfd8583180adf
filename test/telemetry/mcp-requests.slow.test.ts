import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { systemRuntime } from '@thole/core';
import type { ReadonlyContext, Runtime, Tracer } from '@thole/core';
import { McpToolset } from '@thole/mcp';
import { calls, says } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentRun } from '../../packages/mcp/test/toolset/servers/agent-run.ts';
import type { HttpServer } from '../../packages/mcp/test/toolset/servers/http-server.ts';
import { never, startRawServer } from '../../packages/mcp/test/toolset/servers/raw-server.ts';
import { startSessionServer } from '../../packages/mcp/test/toolset/servers/session-server.ts';
import { objectSchema, startToolServer } from '../../packages/mcp/test/toolset/servers/tool-server.ts';
import { RecordedTelemetry } from './recorded-telemetry.ts';

const text = (result: string): { content: [{ type: 'text'; text: string }] } => ({
  content: [{ type: 'text', text: result }],
});

async function startShop(): Promise<HttpServer> {
  const server = await startToolServer((mcp) => {
    mcp.registerTool('price', {}, async () => text('3 euros'));
    mcp.registerTool('fail', {}, async () => ({ ...text('Sold out.'), isError: true }));
    mcp.registerResource('sizes', 'shop://sizes', {}, async ({ href }) => ({
      contents: [{ uri: href, text: '38,39' }],
    }));
    mcp.registerPrompt('greet', { argsSchema: objectSchema({ name: { type: 'string' } }) }, ({ name }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
    }));
  });
  onTestFinished(() => server.close());
  return server;
}

function toolsetFor(
  server: HttpServer,
  protocol: 'auto' | 'legacy' | 'modern' = 'legacy',
  timeout = 30_000,
): McpToolset {
  const toolset = new McpToolset(server.params({ protocol, timeout }));
  onTestFinished(() => toolset.close());
  return toolset;
}

/** A context of the application, outside of a run. */
function contextOf(runtime: Runtime): ReadonlyContext {
  return { appName: 'shop', userId: 'ada', signal: new AbortController().signal, runtime } as ReadonlyContext;
}

interface JsonRpc {
  readonly method?: string;
  readonly id?: string | number;
  readonly params?: { readonly _meta?: { readonly traceparent?: string } };
}

/** Returns the `traceparent` of each request that the server received, with its method. */
function traceparents({ requests }: HttpServer): [method: string, traceparent: string | undefined][] {
  return requests
    .filter(({ body }) => body !== '')
    .map(({ body }) => JSON.parse(body) as JsonRpc)
    .filter(({ id, method }) => id !== undefined && method !== undefined)
    .map(({ method, params }) => [method!, params?._meta?.traceparent]);
}

describe('spans of requests to MCP servers', () => {
  it.each([
    ['legacy', 'initialize', '2025-11-25'],
    ['modern', 'server/discover', '2026-07-28'],
  ] as const)('are below the agent, without a second span for a call (%s)', async (protocol, first, version) => {
    const server = await startShop();
    const telemetry = new RecordedTelemetry();
    const script = [calls('price'), says('It costs 3 euros.')];
    const run = new AgentRun(toolsetFor(server, protocol), script, { runtime: telemetry.runtime });
    await run.say();
    const requests = telemetry.spans.filter(
      ({ attributes, kind }) => attributes['mcp.method.name'] && kind === SpanKind.CLIENT,
    );
    expect(requests.map(({ name }) => name)).toEqual([first, 'tools/list']);
    for (const { name } of requests) expect(telemetry.parentOf(name)).toBe('invoke_agent root');
    const { attributes, status } = telemetry.spanNamed('tools/list');
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/list',
      'mcp.protocol.version': version,
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
    });
    expect(status.code).toBe(SpanStatusCode.UNSET);
  });

  it.each(['legacy', 'modern', 'auto'] as const)('are sent to the server as traceparent (%s)', async (protocol) => {
    const server = await startShop();
    const telemetry = new RecordedTelemetry();
    const run = new AgentRun(toolsetFor(server, protocol), [calls('price'), says('Done.')], telemetry);
    await run.say();
    const sent = traceparents(server);
    expect(sent.length).toBeGreaterThan(2);
    for (const [method, traceparent] of sent) {
      const span = telemetry.spanNamed(method === 'tools/call' ? 'execute_tool price' : method).spanContext();
      expect([method, traceparent]).toEqual([method, `00-${span.traceId}-${span.spanId}-01`]);
    }
  });

  it('name the protocol and the session of the answer to initialize', async () => {
    const { http } = await startSessionServer((mcp) => void mcp.registerTool('price', {}, async () => text('3')));
    onTestFinished(() => http.close());
    const telemetry = new RecordedTelemetry();
    await toolsetFor(http, 'auto').getTools(contextOf(telemetry.runtime));
    expect(telemetry.names).toEqual(['server/discover', 'initialize', 'tools/list']);
    expect(telemetry.spanNamed('initialize').attributes).toMatchObject({
      'mcp.protocol.version': '2025-11-25',
      'mcp.session.id': 'session-1',
    });
    // This server does not know the newer protocol.
    expect(telemetry.spanNamed('server/discover').attributes['error.type']).toBeDefined();
  });

  it('name the protocol version of the answer to initialize, not that of later answers', async () => {
    const server = await startRawServer({ 'tools/list': () => ({ tools: [], protocolVersion: '1999-01-01' }) });
    const telemetry = new RecordedTelemetry();
    await toolsetFor(server).getTools(contextOf(telemetry.runtime));
    const versions = telemetry.spans.map(({ attributes }) => attributes['mcp.protocol.version']);
    expect(versions).toEqual(['2025-06-18', '2025-06-18']);
  });

  it('name prompts in the span, and addresses of resources only as content', async () => {
    const server = await startShop();
    const withContent = new RecordedTelemetry({ captureContent: true });
    const without = new RecordedTelemetry();
    const toolset = toolsetFor(server);
    for (const { runtime } of [without, withContent]) {
      const context = contextOf(runtime);
      await toolset.listResources(context);
      await toolset.readResource('shop://sizes', context);
      await toolset.listPrompts(context);
      await toolset.getPrompt('greet', { name: 'Ada' }, context);
    }
    const requests = ['resources/list', 'resources/read', 'prompts/list', 'prompts/get greet'];
    expect(without.names).toEqual(['initialize', ...requests]);
    expect(withContent.names).toEqual(requests);
    expect(without.spanNamed('prompts/get greet').attributes).toMatchObject({ 'gen_ai.prompt.name': 'greet' });
    expect(without.spanNamed('resources/read').attributes).not.toHaveProperty(['mcp.resource.uri']);
    expect(withContent.spanNamed('resources/read').attributes['mcp.resource.uri']).toBe('shop://sizes');
  });

  it('are one for each page of a list', async () => {
    const page = (cursor: unknown): object =>
      cursor === undefined
        ? { tools: [], nextCursor: '2' }
        : { tools: [{ name: 'b', inputSchema: { type: 'object' } }] };
    const server = await startRawServer({ 'tools/list': ({ cursor }) => page(cursor) });
    const telemetry = new RecordedTelemetry();
    await toolsetFor(server).getTools(contextOf(telemetry.runtime));
    expect(telemetry.names).toEqual(['initialize', 'tools/list', 'tools/list']);
  });

  it.each<[string, (method: string) => object | Promise<object>, string, string | undefined]>([
    [
      'the code of a refused request',
      () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'p4ssw0rd' } }),
      '-32602',
      '-32602',
    ],
    ['the status of a failed HTTP request', () => new Response('p4ssw0rd', { status: 503 }), '503', undefined],
    ['our code for a server that does not answer in time', () => never<object>(), 'MCP_SERVER_FAILED', undefined],
  ])('have %s as error type', async (_, reply, errorType, statusCode) => {
    const server = await startRawServer({ 'tools/list': () => reply('tools/list') });
    const telemetry = new RecordedTelemetry();
    const tools = toolsetFor(server, 'legacy', 3_000).getTools(contextOf(telemetry.runtime));
    await expect(tools).rejects.toMatchObject({ code: 'MCP_SERVER_FAILED' });
    const { attributes, status, events } = telemetry.spanNamed('tools/list');
    expect(attributes['error.type']).toBe(errorType);
    expect(attributes['rpc.response.status_code']).toBe(statusCode);
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(JSON.stringify([status, events])).not.toContain('p4ssw0rd');
    expect(await telemetry.points('mcp.client.operation.duration')).toContainEqual(
      expect.objectContaining({ 'mcp.method.name': 'tools/list', 'error.type': errorType }),
    );
  });

  it('end when the caller aborts a request that the server does not answer', async () => {
    const server = await startRawServer({ 'resources/read': () => never<object>() });
    const telemetry = new RecordedTelemetry();
    const abort = new AbortController();
    const context = { ...contextOf(telemetry.runtime), signal: abort.signal };
    const read = toolsetFor(server).readResource('shop://sizes', context);
    await expect.poll(() => server.methods).toContain('resources/read');
    abort.abort(new TypeError('Enough.'));
    await expect(read).rejects.toThrow('Enough.');
    await expect.poll(() => telemetry.names).toContain('resources/read');
    expect(telemetry.spanNamed('resources/read').attributes['error.type']).toBe('TypeError');
  });

  it('do not exist without a tracer, and the messages have no trace', async () => {
    const server = await startShop();
    await toolsetFor(server).getTools(contextOf(systemRuntime()));
    expect(traceparents(server)).toEqual([
      ['initialize', undefined],
      ['tools/list', undefined],
    ]);
  });

  it('do not let a tracer that fails break a run', async () => {
    const fail = (): never => {
      throw new Error('The tracer is broken.');
    };
    const tracer: Tracer = { start: fail, measure: fail };
    const server = await startShop();
    const run = new AgentRun(toolsetFor(server), [calls('price'), says('Done.')], {
      runtime: systemRuntime({ tracer }),
    });
    await run.say();
    expect(run.responses).toEqual([{ result: '3 euros' }]);
  });
});

describe('metrics of MCP clients', () => {
  it('record each request, with the unit and the buckets of the conventions', async () => {
    const server = await startShop();
    const telemetry = new RecordedTelemetry();
    const script = [calls('price'), calls('fail'), says('Done.')];
    await new AgentRun(toolsetFor(server), script, telemetry).say();
    const connection = {
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
    };
    const call = { ...connection, 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' };
    expect(await telemetry.points('mcp.client.operation.duration')).toEqual([
      { ...connection, 'mcp.method.name': 'initialize' },
      { ...connection, 'mcp.method.name': 'tools/list' },
      { ...call, 'gen_ai.tool.name': 'price' },
      { ...call, 'gen_ai.tool.name': 'fail', 'error.type': 'tool_error' },
    ]);
    const { descriptor, dataPoints } = (await telemetry.histogram('mcp.client.operation.duration'))!;
    expect(descriptor.unit).toBe('s');
    expect(dataPoints[0]!.value.buckets.boundaries).toEqual([
      0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
    ]);
  });

  it('record a session when its connection is closed, and not one of the newer protocol', async () => {
    const server = await startShop();
    const telemetry = new RecordedTelemetry();
    for (const protocol of ['legacy', 'modern'] as const) {
      const toolset = toolsetFor(server, protocol);
      await toolset.getTools(contextOf(telemetry.runtime));
      if (protocol === 'legacy') expect(await telemetry.points('mcp.client.session.duration')).toEqual([]);
      await toolset.close();
    }
    expect(await telemetry.points('mcp.client.session.duration')).toEqual([
      {
        'mcp.protocol.version': '2025-11-25',
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(server.url).port),
      },
    ]);
  });

  it('record the error of a session that the server has lost', async () => {
    const { http, sessions } = await startSessionServer(
      (mcp) => void mcp.registerTool('price', {}, async () => text('3')),
    );
    onTestFinished(() => http.close());
    const telemetry = new RecordedTelemetry();
    const run = new AgentRun(toolsetFor(http), [says('Hi.'), calls('price'), says('Done.')], telemetry);
    await run.say();
    sessions.clear();
    await run.say();
    expect(run.responses).toEqual([{ result: '3' }]);
    expect(await telemetry.points('mcp.client.session.duration')).toEqual([
      expect.objectContaining({ 'error.type': 'MCP_SERVER_FAILED' }),
    ]);
  });

  it('work without spans', async () => {
    const server = await startShop();
    const sampler = { shouldSample: () => ({ decision: 0 }), toString: () => 'none' };
    const telemetry = new RecordedTelemetry({ sampler });
    await toolsetFor(server).getTools(contextOf(telemetry.runtime));
    expect(telemetry.spans).toEqual([]);
    expect(await telemetry.points('mcp.client.operation.duration')).toHaveLength(2);
  });
});
