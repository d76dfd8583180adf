import { metrics, SpanKind, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Agent, Llm, LlmResponse, Tracer } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService, VectorMemoryService } from '@thole/mem-services';
import { calls, callsAll, fails, FixedRuntime, HashEmbedder, says, ScriptedLlm } from '@thole/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTelemetryTracer } from '../../src/otel/index.ts';
import type { MetricsOptions } from '../../src/otel/index.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';

let exporter: InMemoryMetricExporter;
let provider: MeterProvider;

beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
});
afterEach(async () => {
  trace.disable();
  metrics.disable();
  await provider.shutdown();
});

/** Returns a clock for durations. Tools and models of a test advance it. */
const createClock = (): FixedRuntime => new FixedRuntime();

function tracerOf(options: MetricsOptions = {}): Tracer {
  return openTelemetryTracer({ metrics: { meter: provider.getMeter('test'), ...options } });
}

async function runnerOf(agent: Agent, tracer: Tracer): Promise<Runner> {
  const runtime = new FixedRuntime({ tracer });
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession(ref);
  const memoryService = new InMemoryMemoryService({ runtime });
  return new Runner({ appName: 'app', agent, sessionService, memoryService, runtime });
}

async function collectMetrics(): Promise<HistogramMetricData[]> {
  exporter.reset();
  await provider.forceFlush();
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return all as HistogramMetricData[];
}

/** Returns the attributes, the count and the sum of each point of a histogram. */
async function pointsOf(name: string): Promise<unknown[][]> {
  const metric = (await collectMetrics()).find(({ descriptor }) => descriptor.name === name);
  return (metric?.dataPoints ?? []).map(({ attributes, value }) => [attributes, value.count, value.sum]);
}

const usage = {
  promptTokenCount: 10,
  cachedContentTokenCount: 4,
  toolUsePromptTokenCount: 1,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
};

/** Returns a model that takes one second until its first chunk and half a second for each later chunk. */
function slowModel(clock: FixedRuntime, pieces: readonly string[]): Llm {
  return {
    model: 'slow',
    specVersion: 1,
    providerName: 'acme',
    async *generateContentAsync(_request, { stream }): AsyncGenerator<LlmResponse> {
      for (const [i, text] of pieces.entries()) {
        await clock.advance(i === 0 ? 1_000 : 500);
        if (stream) yield { partial: true, content: { role: 'model', parts: [{ text }] } };
      }
      yield {
        content: { role: 'model', parts: [{ text: pieces.join('') }] },
        finishReason: 'STOP',
        modelVersion: 'slow-2',
        usageMetadata: usage,
      };
    },
  };
}

const request = {
  'gen_ai.operation.name': 'generate_content',
  'gen_ai.provider.name': 'acme',
  'gen_ai.request.model': 'slow',
};

describe('metrics of openTelemetryTracer', () => {
  it('records durations of runs, agents, models and tools in seconds', async () => {
    const clock = createClock();
    const look = toolOf('look', () => clock.advance(2_000));
    const model = new ScriptedLlm(calls('look'), says('The sea.'));
    const runner = await runnerOf(rootOf(model, { tools: [look] }), tracerOf({ runtime: clock }));
    await runner.runToCompletion(hello);
    const agent = { 'gen_ai.agent.name': 'root', 'gen_ai.request.model': model.model };
    expect(await pointsOf('gen_ai.workflow.duration')).toEqual([[{ 'gen_ai.workflow.name': 'app' }, 1, 2]]);
    expect(await pointsOf('gen_ai.invoke_agent.duration')).toEqual([[agent, 1, 2]]);
    expect(await pointsOf('gen_ai.execute_tool.duration')).toEqual([
      [{ 'gen_ai.tool.name': 'look', 'gen_ai.tool.type': 'function', 'gen_ai.agent.name': 'root' }, 1, 2],
    ]);
    expect(await pointsOf('gen_ai.client.operation.duration')).toEqual([
      [{ 'gen_ai.operation.name': 'generate_content', 'gen_ai.request.model': model.model }, 2, 0],
    ]);
    const units = (await collectMetrics()).map(({ descriptor }) => [descriptor.name, descriptor.unit]);
    expect(new Set(units.map(([, unit]) => unit))).toEqual(new Set(['s']));
    expect(units.map(([name]) => name)).not.toContain('gen_ai.client.token.usage');
  });

  it('records the times of chunks for a stream, but not for a complete answer', async () => {
    const clock = createClock();
    const runner = await runnerOf(rootOf(slowModel(clock, ['a', 'b', 'c'])), tracerOf({ runtime: clock }));
    await runner.runToCompletion(hello);
    expect(await pointsOf('gen_ai.client.operation.time_to_first_chunk')).toEqual([]);
    await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    expect(await pointsOf('gen_ai.client.operation.time_to_first_chunk')).toEqual([[request, 1, 1]]);
    expect(await pointsOf('gen_ai.client.operation.time_per_output_chunk')).toEqual([[request, 2, 1]]);
    const answered = { ...request, 'gen_ai.response.model': 'slow-2' };
    expect(await pointsOf('gen_ai.client.operation.duration')).toEqual([[answered, 2, 4]]);
  });

  it('counts tokens with `tokens: true`: cached tokens as input, thoughts as output', async () => {
    const clock = createClock();
    const runner = await runnerOf(rootOf(slowModel(clock, ['a'])), tracerOf({ tokens: true }));
    await runner.runToCompletion(hello);
    const answered = { ...request, 'gen_ai.response.model': 'slow-2' };
    expect(await pointsOf('gen_ai.client.token.usage')).toEqual([
      [{ ...answered, 'gen_ai.token.type': 'input' }, 1, 11],
      [{ ...answered, 'gen_ai.token.type': 'output' }, 1, 7],
    ]);
    const metric = (await collectMetrics()).find(({ descriptor }) => descriptor.name === 'gen_ai.client.token.usage')!;
    expect(metric.descriptor.unit).toBe('{token}');
    expect(metric.dataPoints[0]!.value.buckets.boundaries).toEqual([
      1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    ]);
  });

  it('records error.type of errors, and _OTHER as the name of unknown tools', async () => {
    const failing = toolOf('look', () => {
      throw new RangeError('No view.');
    });
    const model = new ScriptedLlm(callsAll(['look', {}, 'c1'], ['made_up_4711', {}, 'c2']), fails('MODEL_OVERLOADED'));
    await outcomeOf((await runnerOf(rootOf(model, { tools: [failing] }), tracerOf())).runAsync(hello));
    const points = async (name: string): Promise<unknown[]> => (await pointsOf(name)).map(([attributes]) => attributes);
    const ofTools = await points('gen_ai.execute_tool.duration');
    expect(ofTools).toHaveLength(2);
    expect(ofTools).toContainEqual({
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.type': 'function',
      'gen_ai.agent.name': 'root',
      'error.type': 'RangeError',
    });
    expect(ofTools).toContainEqual({
      'gen_ai.tool.name': '_OTHER',
      'gen_ai.agent.name': 'root',
      'error.type': 'INVALID_INPUT',
    });
    expect(await points('gen_ai.workflow.duration')).toEqual([
      { 'gen_ai.workflow.name': 'app', 'error.type': 'MODEL_OVERLOADED' },
    ]);
    expect(await points('gen_ai.client.operation.duration')).toContainEqual({
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.request.model': 'scripted',
      'error.type': 'MODEL_OVERLOADED',
    });
  });

  it('records calls of memory and of embedders', async () => {
    const remember = toolOf('remember', async (_, toolContext) => {
      await toolContext.addMemory('Likes tea.');
      await toolContext.searchMemory('tea');
    });
    const agent = rootOf(new ScriptedLlm(calls('remember'), says('Done.')), { tools: [remember] });
    const runtime = new FixedRuntime({ tracer: tracerOf() });
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const memoryService = new VectorMemoryService({ embedder: new HashEmbedder(), runtime });
    await new Runner({ appName: 'app', agent, sessionService, memoryService, runtime }).runToCompletion(hello);
    const points = await pointsOf('gen_ai.client.operation.duration');
    const operations = points.map(([attributes]) => (attributes as Record<string, string>)['gen_ai.operation.name']);
    expect(operations).toEqual(expect.arrayContaining(['create_memory', 'search_memory', 'embeddings']));
  });

  it('records everything for traces that are not sampled, without preparing content', async () => {
    const spans = new InMemorySpanExporter();
    const sampled = new TracerProvider({
      sampler: new AlwaysOffSampler(),
      spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
    });
    const tracer = openTelemetryTracer({
      tracer: sampled.getTracer('x'),
      captureContent: true,
      metrics: { meter: provider.getMeter('test') },
    });
    const span = tracer.start('x', { 'gen_ai.operation.name': 'execute_tool' });
    expect([span.isSilent, span.takesContent]).toEqual([false, false]);
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    await (await runnerOf(rootOf(model, { tools: [toolOf('look', () => 'sea')] }), tracer)).runToCompletion(hello);
    expect(spans.getFinishedSpans()).toEqual([]);
    const names = (await collectMetrics()).map(({ descriptor }) => descriptor.name);
    expect(names).toEqual(expect.arrayContaining(['gen_ai.workflow.duration', 'gen_ai.execute_tool.duration']));
  });

  it('uses the provider that is registered when an operation ends', async () => {
    const tracer = openTelemetryTracer({ metrics: true });
    const run = async (): Promise<unknown> =>
      (await runnerOf(rootOf(new ScriptedLlm(says('Hello.'))), tracer)).runToCompletion(hello);
    await run();
    metrics.setGlobalMeterProvider(provider);
    await run();
    expect(await pointsOf('gen_ai.workflow.duration')).toEqual([
      [{ 'gen_ai.workflow.name': 'app' }, 1, expect.any(Number)],
    ]);
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.map(({ scope }) => scope.name));
    expect(scopes).toContain('@thole/runner');
  });

  it('measures no spans of the application, and nothing without the option', async () => {
    tracerOf().start('own', { length: 3 }).end();
    openTelemetryTracer().start('invocation', { 'gen_ai.operation.name': 'invoke_workflow' }).end();
    expect(await collectMetrics()).toEqual([]);
    expect(openTelemetryTracer().start('x').isSilent).toBe(true);
  });

  it('records values of histograms of MCP by name, and ignores other names', async () => {
    const tracer = tracerOf();
    const attributes = { 'mcp.method.name': 'tools/list', 'error.type': undefined };
    tracer.measure!('mcp.client.operation.duration', 0.25, attributes, tracer.start('tools/list'));
    tracer.measure!('mcp.server.session.duration', 3);
    tracer.measure!('other', 1);
    expect((await collectMetrics()).map(({ descriptor: { name, unit } }) => [name, unit])).toEqual([
      ['mcp.client.operation.duration', 's'],
      ['mcp.server.session.duration', 's'],
    ]);
    expect(await pointsOf('mcp.client.operation.duration')).toEqual([[{ 'mcp.method.name': 'tools/list' }, 1, 0.25]]);
    expect(openTelemetryTracer().measure).toBe(undefined);
  });

  it('sets the kind CLIENT for embedders, which usually run on another host', () => {
    const spans = new InMemorySpanExporter();
    const sdk = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
    openTelemetryTracer({ tracer: sdk.getTracer('x') })
      .start('e', { 'gen_ai.operation.name': 'embeddings' })
      .end();
    expect(spans.getFinishedSpans()[0]!.kind).toBe(SpanKind.CLIENT);
  });

  it('rejects unknown options and names with INVALID_INPUT', () => {
    const invalid = expect.objectContaining({ code: 'INVALID_INPUT' }) as Error;
    expect(() => openTelemetryTracer({ metric: true } as never)).toThrow(invalid);
    expect(() => openTelemetryTracer({ metrics: { token: true } as never })).toThrow(invalid);
    expect(() => openTelemetryTracer({ contentNames: 'genai' as never })).toThrow(invalid);
  });
});

describe('Retrieval spans', () => {
  it('have the kind CLIENT, and their durations are recorded', async () => {
    const spans = new InMemorySpanExporter();
    const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
    const clock = createClock();
    const tracer = openTelemetryTracer({
      tracer: tracers.getTracer('test'),
      metrics: { meter: provider.getMeter('test'), runtime: clock },
    });
    const attributes = { 'gen_ai.operation.name': 'retrieval', 'gen_ai.provider.name': 'gcp.vertex_ai' };
    const span = tracer.start('retrieval c1', { ...attributes, 'gen_ai.data_source.id': 'c1' });
    span.end();
    expect(spans.getFinishedSpans()).toMatchObject([
      { name: 'retrieval c1', kind: SpanKind.CLIENT, attributes: { 'gen_ai.data_source.id': 'c1' } },
    ]);
    expect(await pointsOf('gen_ai.client.operation.duration')).toEqual([[attributes, 1, 0]]);
  });
});
