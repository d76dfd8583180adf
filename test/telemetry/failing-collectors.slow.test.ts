import type { ServerResponse } from 'node:http';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { systemRuntime } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { openTelemetryTracer } from '@thole/runner/otel';
import { says, ScriptedLlm } from '@thole/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accepts, startCollector } from './collector.ts';
import type { Collector, CollectorAnswer } from './collector.ts';

const RUNS = 20;
/** Spans of a run: the invocation, the agent and the model call. They are sent together. */
const SPANS = 3;

let cleanUp: (() => unknown)[] = [];
/** Messages of OpenTelemetry's SDK. */
let logged: string[];

beforeEach(() => {
  logged = [];
  const log = (...words: unknown[]): void => void logged.push(words.map(String).join(' '));
  const ignore = (): void => undefined;
  diag.setLogger({ error: log, warn: log, info: log, debug: ignore, verbose: ignore }, DiagLogLevel.INFO);
});
afterEach(async () => {
  for (const each of cleanUp.reverse()) await each();
  cleanUp = [];
  diag.disable();
});

/** Starts a collector that answers the first request with spans in another way, and accepts everything else. */
async function startWithFirstAnswer(answerFirst: (response: ServerResponse) => void): Promise<Collector> {
  return startUntilEnd((response, path, index) => {
    if (path === '/v1/traces' && index === 0) answerFirst(response);
    else accepts(response);
  });
}

/** Starts a collector that is closed at the end of the test. */
async function startUntilEnd(answer: CollectorAnswer): Promise<Collector> {
  const collector = await startCollector(answer);
  cleanUp.push(() => collector.close());
  return collector;
}

interface Program {
  /** Runs an agent N times, one run after another. Returns the number of answers. */
  run(times: number): Promise<number>;
  /** Sends the remaining spans and metrics. Returns the errors. */
  shutdown(): Promise<unknown[]>;
}

/** Creates a program whose exporters send the spans of a run at its end, and metrics at `shutdown`. */
function createProgram(url: string, { timeoutMillis = 10_000, maxQueueSize = 2048 } = {}): Program {
  const traces = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis });
  const processor = new BatchSpanProcessor({ exporter: traces, maxExportBatchSize: SPANS, maxQueueSize });
  const tracers = new TracerProvider({ spanProcessors: [processor] });
  const exporter = new OTLPMetricExporter({ url: `${url}/v1/metrics`, timeoutMillis });
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  const metrics = { meter: meters.getMeter('test') };
  const runtime = systemRuntime({ tracer: openTelemetryTracer({ tracer: tracers.getTracer('test'), metrics }) });
  const model = new ScriptedLlm(...Array.from({ length: RUNS + 1 }, () => says('Good day.')));
  const runner = new Runner({
    appName: 'shop',
    agent: new LlmAgent({ name: 'clerk', model }),
    sessionService: new InMemorySessionService({ runtime }),
    runtime,
  });
  cleanUp.push(() => runner.close());
  return {
    async run(times) {
      let answers = 0;
      for (let i = 0; i < times; i++) {
        const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Hello' });
        if (text === 'Good day.') answers++;
      }
      return answers;
    },
    async shutdown() {
      const ends = await Promise.allSettled([tracers.shutdown(), meters.shutdown()]);
      return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    },
  };
}

/** Returns the statuses of the requests with spans, in the order of their arrival. */
function statusesOf({ requests }: Collector): (number | undefined)[] {
  return requests.filter(({ path }) => path === '/v1/traces').map(({ status }) => status);
}

describe('runs whose collector fails', () => {
  it('complete while the collector has not answered the first request', async () => {
    let release = (): void => undefined;
    const collector = await startWithFirstAnswer((response) => void (release = () => accepts(response)));
    const { run, shutdown } = createProgram(collector.url);
    expect(await run(RUNS)).toBe(RUNS);
    await expect.poll(() => statusesOf(collector)).toEqual([undefined]);
    const ended = shutdown();
    await expect.poll(() => statusesOf(collector)).toEqual([undefined, ...Array(RUNS - 1).fill(200)]);
    release();
    expect(await ended).toEqual([]);
    expect(collector.spans()).toHaveLength(RUNS * SPANS);
    expect(logged).toEqual([]);
  });

  it('keep a limited number of spans while the collector is slow, and log how many were dropped', async () => {
    let release = (): void => undefined;
    const collector = await startWithFirstAnswer((response) => void (release = () => accepts(response)));
    const { run, shutdown } = createProgram(collector.url, { maxQueueSize: 2 * SPANS });
    expect(await run(RUNS)).toBe(RUNS);
    await expect.poll(() => statusesOf(collector)).toEqual([undefined]);
    release();
    await expect.poll(() => collector.spans().length).toBe(3 * SPANS);
    expect(await run(1)).toBe(1);
    expect(await shutdown()).toEqual([]);
    expect(collector.spans()).toHaveLength(4 * SPANS);
    expect(logged).toEqual([`Dropped ${(RUNS - 3) * SPANS} spans because maxQueueSize reached`]);
  });

  it('complete if no collector is running', async () => {
    const { url, close } = await startCollector();
    await close();
    const { run, shutdown } = createProgram(url, { timeoutMillis: 500 });
    expect(await run(RUNS)).toBe(RUNS);
    expect((await shutdown()).map(String)).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(logged.join('\n')).toMatch(/metrics export failed \(error Error: connect ECONNREFUSED/);
  });

  it('send the refused spans again after the time of Retry-After', async () => {
    const collector = await startWithFirstAnswer(
      (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
    );
    const { run, shutdown } = createProgram(collector.url);
    expect(await run(1)).toBe(1);
    expect(await shutdown()).toEqual([]);
    expect(statusesOf(collector)).toEqual([429, 200]);
    const [refused, repeated] = collector.requests.filter(({ traces }) => traces);
    expect(repeated!.traces).toEqual(refused!.traces);
    expect(logged).toEqual([]);
  });

  it('send spans again after 503, until the time limit of the exporter', async () => {
    const collector = await startUntilEnd((response) => void response.writeHead(503).end());
    const { run, shutdown } = createProgram(collector.url, { timeoutMillis: 2_000 });
    expect(await run(1)).toBe(1);
    expect((await shutdown()).map(String)).toEqual([]);
    expect(statusesOf(collector).slice(0, 2)).toEqual([503, 503]);
    expect(logged.join('\n')).toMatch(/exceeds remaining timeout/);
    expect(logged.join('\n')).toMatch(/Export failed with retryable status/);
  });
});
