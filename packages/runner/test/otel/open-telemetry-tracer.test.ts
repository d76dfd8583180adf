import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Agent, Tracer } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { openTelemetryTracer } from '../../src/otel/index.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const exporter = new InMemorySpanExporter();
let provider: TracerProvider;

beforeEach(() => {
  exporter.reset();
  provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

async function runnerOf(agent: Agent, tracer: Tracer = openTelemetryTracer()): Promise<Runner> {
  const runtime = new FixedRuntime({ tracer });
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession(ref);
  return new Runner({ appName: 'app', agent, sessionService, runtime });
}

function spanNamed(name: string): ReadableSpan {
  return exporter.getFinishedSpans().find((span) => span.name === name)!;
}

/** Returns the name of the parent for each name of a finished span. */
function parents(): Record<string, string | undefined> {
  const spans = exporter.getFinishedSpans();
  const nameOf = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return Object.fromEntries(
    spans.map(({ name, parentSpanContext }) => [name, parentSpanContext && nameOf.get(parentSpanContext.spanId)]),
  );
}

describe('openTelemetryTracer', () => {
  it('exports the nested spans of a run in one trace', async () => {
    const model = new ScriptedLlm(calls('look'), says('The sea.'));
    const runner = await runnerOf(rootOf(model, { tools: [toolOf('look', () => 'sea')] }));
    await runner.runToCompletion(hello);
    expect(parents()).toEqual({
      invocation: undefined,
      'invoke_agent root': 'invocation',
      [`generate_content ${model.model}`]: 'invoke_agent root',
      'execute_tool look': 'invoke_agent root',
    });
    const spans = exporter.getFinishedSpans();
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(new Set(spans.map((span) => span.instrumentationScope.name))).toEqual(new Set(['@thole/runner']));
    const kinds = Object.fromEntries(spans.map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({
      invocation: SpanKind.INTERNAL,
      [`generate_content ${model.model}`]: SpanKind.CLIENT,
      'execute_tool look': SpanKind.INTERNAL,
    });
  });

  it('exports memory spans below the tool that uses memory, as INTERNAL and without content', async () => {
    const tool = toolOf('look', async (_, toolContext) => {
      await toolContext.addMemory('Likes tea.');
      trace.getTracer('db').startSpan('SELECT').end();
      await toolContext.searchMemory('tea');
    });
    const agent = rootOf(new ScriptedLlm(calls('look'), says('Done.')), { tools: [tool] });
    const runtime = new FixedRuntime({ tracer: openTelemetryTracer() });
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const memoryService = new InMemoryMemoryService({ runtime });
    await new Runner({ appName: 'app', agent, sessionService, memoryService, runtime }).runToCompletion(hello);
    expect(parents()).toMatchObject({ create_memory: 'execute_tool look', search_memory: 'execute_tool look' });
    expect(spanNamed('search_memory').kind).toBe(SpanKind.INTERNAL);
    expect(spanNamed('search_memory').attributes).toMatchObject({
      'gen_ai.operation.name': 'search_memory',
      'gen_ai.agent.name': 'root',
      'gen_ai.memory.record.count': 1,
    });
    expect(JSON.stringify(spanNamed('search_memory').attributes)).not.toContain('tea');
    await new Runner({
      ...{ appName: 'app', sessionService, memoryService },
      agent: rootOf(new ScriptedLlm(calls('look'), says('Done.')), { tools: [tool] }),
      runtime: new FixedRuntime({ tracer: openTelemetryTracer({ captureContent: true }) }),
    }).runToCompletion(hello);
    const captured = exporter.getFinishedSpans().findLast(({ name }) => name === 'search_memory')!;
    expect(captured.attributes).toMatchObject({ 'gen_ai.memory.query.text': 'tea' });
    expect(captured.attributes['gen_ai.memory.records']).toContain('Likes tea.');
  });

  it('is a child of the caller’s active span, with spans of tools and models as its children', async () => {
    const other = trace.getTracer('http');
    const request = (name: string): void => other.startSpan(name).end();
    const model = new ScriptedLlm(async () => {
      await Promise.resolve();
      request('POST model');
      return calls('look');
    }, says('The sea.'));
    const tool = toolOf('look', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      request('GET sea');
    });
    const runner = await runnerOf(rootOf(model, { tools: [tool] }));
    await other.startActiveSpan('GET /chat', async (span) => {
      await runner.runToCompletion(hello);
      request('SELECT');
      span.end();
    });
    expect(parents()).toMatchObject({
      'GET /chat': undefined,
      SELECT: 'GET /chat',
      invocation: 'GET /chat',
      'POST model': `generate_content ${model.model}`,
      'GET sea': 'execute_tool look',
    });
  });

  it('is a child of the caller’s span in a detached run', async () => {
    const runner = await runnerOf(rootOf(new ScriptedLlm(says('Hello.'))));
    await trace.getTracer('http').startActiveSpan('POST /run', async (span) => {
      await runner.runAsync({ ...hello, runConfig: { reader: 'detached' } }).done;
      span.end();
    });
    expect(parents()).toMatchObject({ invocation: 'POST /run' });
  });

  it('exports spans of plugins below the invocation, and spans of callbacks below the agent', async () => {
    const request = (name: string): void => trace.getTracer('db').startSpan(name).end();
    const agent = rootOf(new ScriptedLlm(says('Hello.')), {
      beforeModelCallback: () => request('of the model’s callback'),
    });
    const runtime = new FixedRuntime({ tracer: openTelemetryTracer() });
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const plugins = [{ name: 'watch', beforeRunCallback: () => request('of the plugin') }];
    await new Runner({ appName: 'app', agent, sessionService, runtime, plugins }).runToCompletion(hello);
    expect(parents()).toMatchObject({
      'of the plugin': 'invocation',
      'of the model’s callback': 'invoke_agent root',
    });
  });

  it('keeps the active span during all chunks of a stream', async () => {
    const seen = new Set<string | undefined>();
    const model = new ScriptedLlm(streams('Hel', 'lo'));
    const watching = {
      model: 'watching',
      specVersion: 1 as const,
      async *generateContentAsync(...p: Parameters<ScriptedLlm['generateContentAsync']>) {
        for await (const response of model.generateContentAsync(...p)) {
          seen.add(trace.getActiveSpan()?.spanContext().spanId);
          yield response;
        }
        seen.add(trace.getActiveSpan()?.spanContext().spanId);
      },
    };
    const runner = await runnerOf(rootOf(watching));
    await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    expect([...seen]).toEqual([spanNamed('generate_content watching').spanContext().spanId]);
  });

  it('exports the run of an AgentTool below its call', async () => {
    const expert = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('Ask.')) });
    const model = new ScriptedLlm(calls('expert', { request: 'Who?' }), says('The porter.'));
    await (await runnerOf(rootOf(model, { tools: [new AgentTool({ agent: expert })] }))).runToCompletion(hello);
    const [inner] = exporter.getFinishedSpans().filter(({ name }) => name === 'invocation');
    expect(inner!.parentSpanContext!.spanId).toBe(spanNamed('execute_tool expert').spanContext().spanId);
    expect(parents()['invoke_agent expert']).toBe('invocation');
  });

  it('marks failed spans with the exception and its code', async () => {
    const model = new ScriptedLlm(fails('MODEL_OVERLOADED'));
    await outcomeOf((await runnerOf(rootOf(model))).runAsync(hello));
    for (const name of ['invocation', 'invoke_agent root', `generate_content ${model.model}`]) {
      const { status, events, attributes } = spanNamed(name);
      expect(status.code).toBe(SpanStatusCode.ERROR);
      expect(attributes['error.type']).toBe('MODEL_OVERLOADED');
      expect(events.map((event) => [event.name, event.attributes!['exception.type']])).toEqual([
        ['exception', 'MODEL_OVERLOADED'],
      ]);
    }
  });

  it('exports string arrays as arrays, other values as JSON, and content only if captured', async () => {
    const agentFor = (): LlmAgent =>
      rootOf(new ScriptedLlm(calls('look', { at: 'p4ssw0rd' }), { ...says('Done.'), finishReason: 'STOP' } as never), {
        tools: [toolOf('look', () => 'sea')],
      });
    await (await runnerOf(agentFor())).runToCompletion(hello);
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain('p4ssw0rd');
    exporter.reset();
    await (await runnerOf(agentFor(), openTelemetryTracer({ captureContent: true }))).runToCompletion(hello);
    expect(spanNamed('execute_tool look').attributes['gcp.vertex.agent.tool_call_args']).toBe('{"at":"p4ssw0rd"}');

    const span = openTelemetryTracer().start('own', { list: ['a', 'b'], mixed: [1, 'a'], none: null, on: true });
    span.set({ object: { a: 1 } });
    span.end('a text');
    expect(spanNamed('own')).toMatchObject({
      attributes: { list: ['a', 'b'], mixed: '[1,"a"]', on: true, object: '{"a":1}' },
      status: { code: SpanStatusCode.ERROR, message: 'a text' },
    });
    expect(spanNamed('own').attributes).not.toHaveProperty('none');
  });

  it('uses spans of another tracer as parents by id, and starts a trace without ids', () => {
    const tracer = openTelemetryTracer({ tracer: provider.getTracer('mine') });
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    tracer.start('known', {}, { traceId, spanId, set() {}, end() {} }).end();
    tracer.start('unknown', {}, { traceId: '', spanId: '', set() {}, end() {} }).end();
    expect(spanNamed('known').parentSpanContext).toMatchObject({ traceId, spanId });
    expect(spanNamed('unknown').parentSpanContext).toBe(undefined);
    expect(spanNamed('known').instrumentationScope.name).toBe('mine');
  });

  it('continues the trace of a client in a server span, with a link to the active span', () => {
    const tracer = openTelemetryTracer();
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const http = provider.getTracer('http').startSpan('POST');
    context.with(trace.setSpan(context.active(), http), () => {
      tracer.start('served', {}, { traceId, spanId, set() {}, end() {} }, { kind: 'server' }).end();
      tracer.start('without client', {}, undefined, { kind: 'server' }).end();
      tracer.start('request', {}, undefined, { kind: 'client' }).end();
    });
    const httpId = http.spanContext().spanId;
    expect(spanNamed('served')).toMatchObject({
      kind: SpanKind.SERVER,
      parentSpanContext: { traceId, spanId, isRemote: true },
      links: [{ context: { spanId: httpId } }],
    });
    expect(spanNamed('without client')).toMatchObject({ parentSpanContext: { spanId: httpId }, links: [] });
    expect(spanNamed('request')).toMatchObject({ kind: SpanKind.CLIENT, parentSpanContext: { spanId: httpId } });
  });

  it('keeps the decision of a parent that is not sampled', () => {
    const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() });
    const sampled = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const tracer = openTelemetryTracer({ tracer: sampled.getTracer('x') });
    const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    tracer.start('dropped', {}, { ...ids, takesContent: false, set() {}, end() {} }).end();
    tracer.start('kept', {}, { ...ids, takesContent: true, set() {}, end() {} }).end();
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['kept']);
  });

  it('exports no span of a run whose trace is not sampled', async () => {
    const sampler = new ParentBasedSampler({ root: new AlwaysOffSampler() });
    const sampled = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const tracer = openTelemetryTracer({ tracer: sampled.getTracer('x'), captureContent: true });
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    await (await runnerOf(rootOf(model, { tools: [toolOf('look', () => 1)] }), tracer)).runToCompletion(hello);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('is silent for a trace that is not sampled, and works without an SDK', async () => {
    const sampled = new TracerProvider({ sampler: new AlwaysOffSampler() });
    expect(openTelemetryTracer({ tracer: sampled.getTracer('x') }).start('x').isSilent).toBe(true);
    trace.disable();
    const runner = await runnerOf(rootOf(new ScriptedLlm(says('Hello.'))));
    expect((await runner.runToCompletion(hello)).text).toBe('Hello.');
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('uses a provider that is registered later', async () => {
    trace.disable();
    const tracer = openTelemetryTracer();
    trace.setGlobalTracerProvider(provider);
    await (await runnerOf(rootOf(new ScriptedLlm(says('Hello.'))), tracer)).runToCompletion(hello);
    expect(exporter.getFinishedSpans().length).toBe(3);
  });
});
