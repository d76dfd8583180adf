import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SamplingDecision, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import { systemRuntime } from '@thole/core';
import { McpToolset } from '@thole/mcp';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { openTelemetryTracer } from '@thole/runner/otel';
import type { OpenTelemetryOptions } from '@thole/runner/otel';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpServer } from '../../packages/mcp/test/toolset/servers/http-server.ts';
import { startSessionServer } from '../../packages/mcp/test/toolset/servers/session-server.ts';
import { startToolServer } from '../../packages/mcp/test/toolset/servers/tool-server.ts';

async function startShop(): Promise<HttpServer> {
  const server = await startToolServer((mcp) => {
    mcp.registerTool('price', {}, async () => ({ content: [{ type: 'text', text: '3 euros' }] }));
    mcp.registerTool('fail', {}, async () => ({ content: [{ type: 'text', text: 'Sold out.' }], isError: true }));
  });
  onTestFinished(() => server.close());
  return server;
}

/** Runs an agent that calls a tool of the server. Returns the spans and the `_meta` of the call. */
async function spansOf(
  server: HttpServer,
  p: {
    tool?: string;
    protocol?: 'legacy' | 'modern';
    sampler?: Sampler;
    metrics?: OpenTelemetryOptions['metrics'];
  } = {},
): Promise<{
  spans: ReturnType<InMemorySpanExporter['getFinishedSpans']>;
  meta: { traceparent?: string } | undefined;
}> {
  const { tool = 'price', protocol = 'legacy', sampler, metrics = false } = p;
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const provider = new TracerProvider({ spanProcessors, ...(sampler && { sampler }) });
  const runtime = systemRuntime({ tracer: openTelemetryTracer({ tracer: provider.getTracer('test'), metrics }) });
  const runner = new Runner({
    appName: 'shop',
    agent: new LlmAgent({
      name: 'clerk',
      model: new ScriptedLlm(calls(tool, {}), says('Done.')),
      tools: [new McpToolset(server.params({ protocol }))],
    }),
    sessionService: new InMemorySessionService({ runtime }),
    runtime,
  });
  onTestFinished(() => runner.close());
  await runner.runToCompletion({ userId: 'ada', newMessage: 'How much is it?' });
  const bodies = server.requests.map(({ body }) => (body === '' ? {} : JSON.parse(body)) as JsonRpc);
  const meta = bodies.find(({ method }) => method === 'tools/call')!.params._meta;
  return { spans: exporter.getFinishedSpans(), meta };
}

interface JsonRpc {
  method?: string;
  params: { _meta?: { traceparent?: string } };
}

describe('the span of a call of an MCP tool', () => {
  it.each([
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
  ] as const)('names server, transport and protocol (%s), in the one span of the call', async (protocol, version) => {
    const server = await startShop();
    const { spans } = await spansOf(server, { protocol });
    const ofTools = spans.filter(({ name }) => name.startsWith('execute_tool'));
    expect(ofTools.map(({ name }) => name)).toEqual(['execute_tool price']);
    expect(ofTools[0]!.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
    });
  });

  it('names the session of a server that keeps sessions', async () => {
    const { http } = await startSessionServer((mcp) => {
      mcp.registerTool('price', {}, async () => ({ content: [{ type: 'text', text: '3 euros' }] }));
    });
    onTestFinished(() => http.close());
    const { spans } = await spansOf(http);
    const { attributes } = spans.find(({ name }) => name === 'execute_tool price')!;
    expect(attributes['mcp.session.id']).toBe('session-1');
  });

  it('has the error type tool_error for a result with isError', async () => {
    const { spans } = await spansOf(await startShop(), { tool: 'fail' });
    const types = spans.map(({ name, attributes }) => [name, attributes['error.type']]);
    expect(types.filter(([, type]) => type !== undefined)).toEqual([['execute_tool fail', 'tool_error']]);
  });

  it('counts a result with isError as an error of the tool in the metrics', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
    onTestFinished(() => provider.shutdown());
    await spansOf(await startShop(), { tool: 'fail', metrics: { meter: provider.getMeter('test') } });
    await provider.forceFlush();
    const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const { dataPoints } = metrics.find(({ descriptor }) => descriptor.name === 'gen_ai.execute_tool.duration')!;
    expect(dataPoints.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ 'gen_ai.tool.name': 'fail', 'error.type': 'tool_error' }),
    ]);
  });

  it.each(['legacy', 'modern'] as const)('is the parent of the spans of the server (%s)', async (protocol) => {
    const { spans, meta } = await spansOf(await startShop(), { protocol });
    const { traceId, spanId } = spans.find(({ name }) => name === 'execute_tool price')!.spanContext();
    expect(meta!.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('is marked as not sampled in the traceparent of a trace that is not sampled', async () => {
    const sampler = { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }), toString: () => 'none' };
    const { meta } = await spansOf(await startShop(), { sampler, metrics: true });
    expect(meta!.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    const silent = await spansOf(await startShop(), { sampler });
    expect(silent.meta?.traceparent).toBeUndefined();
  });
});
