import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace';
import { withRuntime } from '@thole/core/kit';
import { McpToolset } from '@thole/mcp';
import { calls, fails, hangs, says } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectHttp,
  connectStreams,
  eras,
  loggingRuntime,
  serveClerk,
} from '../../packages/mcp/test/server/support/setup.ts';
import type { Setup } from '../../packages/mcp/test/server/support/setup.ts';
import { AgentRun } from '../../packages/mcp/test/toolset/servers/agent-run.ts';
import { RecordedTelemetry, useActiveSpans } from './recorded-telemetry.ts';

const ask = { name: 'clerk', arguments: { request: 'Where is my order?' } };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

function serve(
  answers: ScriptedAnswer[],
  p: ConstructorParameters<typeof RecordedTelemetry>[0] = {},
): Setup & {
  telemetry: RecordedTelemetry;
} {
  useActiveSpans();
  const telemetry = new RecordedTelemetry(p);
  const { runtime, logged } = loggingRuntime();
  const { tracer } = telemetry.runtime;
  return { ...serveClerk(answers, { options: { runtime: withRuntime(runtime, { tracer }) } }), logged, telemetry };
}

describe.each(eras)('the span of a request to mcpServer (%s)', (era) => {
  const version = era === 'legacy' ? '2025-11-25' : '2026-07-28';

  it('continues the trace of the client, and the run is below it', async () => {
    const { server, telemetry } = serve([says('On its way.')]);
    const client = await connectHttp(server, { era });
    await client.callTool({ ...ask, _meta: { traceparent } });
    const { kind, attributes, parentSpanContext, status } = telemetry.spanNamed('tools/call clerk');
    expect(kind).toBe(SpanKind.SERVER);
    expect(parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true });
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'clerk',
      'jsonrpc.request.id': expect.any(String),
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
    });
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(telemetry.parentOf('invocation')).toBe('tools/call clerk');
    expect(telemetry.spanNamed('invoke_agent clerk').spanContext().traceId).toBe(traceId);
  });

  it('exists for each request, also without a trace of the client', async () => {
    const { server, telemetry } = serve([]);
    const client = await connectHttp(server, { era });
    await client.listTools();
    expect(telemetry.names).toEqual([era === 'legacy' ? 'initialize' : 'server/discover', 'tools/list']);
    for (const span of telemetry.spans) {
      expect(span.parentSpanContext).toBe(undefined);
      expect(span.attributes['mcp.protocol.version']).toBe(version);
    }
  });

  it.each([
    ['not a trace', 'hello'],
    ['an id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['more fields than the version has', `${traceparent}-01`],
    ['a number', 7],
  ])('ignores a traceparent that is %s', async (_, malformed) => {
    const { server, telemetry, logged } = serve([says('On its way.')]);
    const client = await connectHttp(server, { era });
    const result = await client.callTool({ ...ask, _meta: { traceparent: malformed } });
    expect(result.isError).toBeFalsy();
    expect(telemetry.spanNamed('tools/call clerk').parentSpanContext).toBe(undefined);
    expect(logged).toEqual([]);
  });

  it('is not recorded if the client has not sampled its trace', async () => {
    const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() });
    const { server, telemetry } = serve([says('1'), says('2')], { sampler });
    const client = await connectHttp(server, { era });
    await client.callTool({ ...ask, _meta: { traceparent: traceparent.replace(/01$/, '00') } });
    expect(telemetry.names).not.toContain('tools/call clerk');
    expect(telemetry.names).not.toContain('invocation');
    await client.callTool({ ...ask, _meta: { traceparent } });
    expect(telemetry.names).toContain('tools/call clerk');
  });

  it('links to the active span, such as that of the HTTP request', async () => {
    const { server, telemetry } = serve([says('On its way.')]);
    const client = await connectHttp(server, { era });
    const http = telemetry.tracerProvider.getTracer('http').startSpan('POST /mcp');
    const active = trace.setSpan(context.active(), http);
    await context.with(active, () => client.callTool({ ...ask, _meta: { traceparent } }));
    http.end();
    const { links } = telemetry.spanNamed('tools/call clerk');
    expect(links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId]);
  });

  it('has the error of the result, or the code of a refused request', async () => {
    const { server, telemetry } = serve([fails('MODEL_OVERLOADED')]);
    const client = await connectHttp(server, { era });
    expect((await client.callTool(ask)).isError).toBe(true);
    await client.callTool({ ...ask, name: 'baker' }).catch(() => {});
    const [failed, refused] = ['tools/call clerk', 'tools/call _OTHER'].map((name) => telemetry.spanNamed(name));
    expect(failed!.attributes['error.type']).toBe('tool_error');
    expect(refused!.attributes).toMatchObject({ 'error.type': '-32602', 'rpc.response.status_code': '-32602' });
    for (const { status } of [failed!, refused!]) expect(status.code).toBe(SpanStatusCode.ERROR);
  });

  it('ends when the client cancels the call', async () => {
    const { server, telemetry, model } = serve([hangs()]);
    const { client } = await connectStreams(server, { era });
    const abort = new AbortController();
    const called = client.callTool(ask, { signal: abort.signal });
    await expect.poll(() => model.requests.length).toBe(1);
    abort.abort();
    await expect(called).rejects.toThrow();
    await expect.poll(() => telemetry.names).toContain('tools/call clerk');
    expect(telemetry.spanNamed('tools/call clerk').attributes['error.type']).toBe('RUN_ABORTED');
  });

  it('ends when the client leaves during the call', async () => {
    const { server, telemetry, model } = serve([hangs()]);
    const { client, toServer } = await connectStreams(server, { era });
    const called = client.callTool(ask).catch(() => {});
    await expect.poll(() => model.requests.length).toBe(1);
    toServer.end();
    await expect.poll(() => telemetry.names).toContain('tools/call clerk');
    expect(telemetry.spanNamed('tools/call clerk').attributes['error.type']).toBe('RUN_ABORTED');
    await client.close();
    await called;
  });

  it('is below the tool call of another agent, in one trace', async () => {
    const { server, telemetry } = serve([says('On its way.')]);
    const toolset = new McpToolset({
      type: 'StreamableHTTPConnectionParams',
      url: 'http://localhost/mcp',
      privateHosts: ['localhost'],
      protocol: era === 'legacy' ? 'legacy' : 'modern',
      transportOptions: { fetch: (input, init) => server.fetch(new Request(input, init)) },
    });
    const run = new AgentRun(toolset, [calls('clerk', ask.arguments), says('It is on its way.')], telemetry);
    await run.say();
    const served = telemetry.spanNamed('tools/call clerk');
    expect(telemetry.parentOf('tools/call clerk')).toBe('execute_tool clerk');
    const traces = telemetry.spans.map((span) => span.spanContext().traceId);
    expect(new Set(traces)).toEqual(new Set([served.spanContext().traceId]));
    const lists = telemetry.spans.filter(({ name }) => name === 'tools/list');
    expect(lists.map(({ kind }) => kind)).toEqual([SpanKind.SERVER, SpanKind.CLIENT]);
  });
});

describe('metrics of mcpServer', () => {
  it.each(eras)('record each request (%s)', async (era) => {
    const { server, telemetry } = serve([says('On its way.'), fails('MODEL_OVERLOADED')]);
    const client = await connectHttp(server, { era });
    await client.callTool(ask);
    await client.callTool(ask);
    const ofTransport = {
      'mcp.protocol.version': era === 'legacy' ? '2025-11-25' : '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
    };
    const call = {
      ...{ ...ofTransport, 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' },
      'gen_ai.tool.name': 'clerk',
    };
    expect(await telemetry.points('mcp.server.operation.duration')).toEqual([
      { ...ofTransport, 'mcp.method.name': era === 'legacy' ? 'initialize' : 'server/discover' },
      call,
      { ...call, 'error.type': 'tool_error' },
    ]);
    // This is the metric of the client, and HTTP has no sessions here.
    expect(await telemetry.points('gen_ai.execute_tool.duration')).toEqual([]);
    expect(await telemetry.points('mcp.server.session.duration')).toEqual([]);
  });

  it.each(eras)('record the session of a client over stdio when it ends (%s)', async (era) => {
    const { server, telemetry } = serve([says('On its way.')]);
    const { client, closed, toServer } = await connectStreams(server, { era });
    await client.callTool(ask);
    expect(await telemetry.points('mcp.server.session.duration')).toEqual([]);
    toServer.end();
    await closed;
    expect(await telemetry.points('mcp.server.session.duration')).toEqual([
      { 'mcp.protocol.version': era === 'legacy' ? '2025-11-25' : '2026-07-28', 'network.transport': 'pipe' },
    ]);
  });

  it('have one name for all methods that clients make up', async () => {
    const { server, telemetry } = serve([]);
    const { client } = await connectStreams(server, { era: 'legacy' });
    onTestFinished(() => client.close());
    for (const method of ['tools/steal', 'x'.repeat(1_000)]) {
      const schema = {
        '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
      } as const;
      await expect(client.request({ method }, schema)).rejects.toThrow(/not found/i);
    }
    expect(telemetry.names).toEqual(['initialize', '_OTHER', '_OTHER']);
    expect(await telemetry.points('mcp.server.operation.duration')).toContainEqual(
      expect.objectContaining({ 'mcp.method.name': '_OTHER', 'error.type': '-32601' }),
    );
  });
});
