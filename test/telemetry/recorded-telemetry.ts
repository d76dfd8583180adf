import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, Sampler } from '@opentelemetry/sdk-trace';
import { systemRuntime } from '@thole/core';
import type { Runtime } from '@thole/core';
import { openTelemetryTracer } from '@thole/runner/otel';
import { onTestFinished } from 'vitest';

/** A runtime whose spans and metrics a test can read. It is shut down when the test ends. */
export class RecordedTelemetry {
  readonly runtime: Runtime;
  readonly tracerProvider: TracerProvider;
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #meterProvider: MeterProvider;

  constructor(p: { sampler?: Sampler; captureContent?: boolean } = {}) {
    const { sampler, captureContent } = p;
    const spanProcessors = [new SimpleSpanProcessor({ exporter: this.#spans })];
    this.tracerProvider = new TracerProvider({ spanProcessors, ...(sampler && { sampler }) });
    this.#meterProvider = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter: this.#metrics })],
    });
    const tracer = openTelemetryTracer({
      tracer: this.tracerProvider.getTracer('test'),
      metrics: { meter: this.#meterProvider.getMeter('test') },
      captureContent,
    });
    this.runtime = systemRuntime({ tracer });
    onTestFinished(() => this.#meterProvider.shutdown());
  }

  /** The finished spans, in the order of their end. */
  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** Names of the finished spans. */
  get names(): string[] {
    return this.spans.map(({ name }) => name);
  }

  /** Returns the first finished span with this name. Throws if there is none. */
  spanNamed(name: string): ReadableSpan {
    const span = this.spans.find((each) => each.name === name);
    if (!span) throw new Error(`There is no span "${name}". Finished spans: ${this.names.join(', ')}.`);
    return span;
  }

  /** Returns the name of the span above this one. */
  parentOf(name: string): string | undefined {
    const parent = this.spanNamed(name).parentSpanContext?.spanId;
    return this.spans.find((each) => each.spanContext().spanId === parent)?.name;
  }

  async histogram(name: string): Promise<HistogramMetricData | undefined> {
    this.#metrics.reset();
    await this.#meterProvider.forceFlush();
    const scopes = this.#metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const found = scopes.flatMap(({ metrics }) => metrics).find(({ descriptor }) => descriptor.name === name);
    return found as HistogramMetricData | undefined;
  }

  /** Returns the attributes of each point of a histogram. */
  async points(name: string): Promise<object[]> {
    return ((await this.histogram(name))?.dataPoints ?? []).map(({ attributes }) => attributes);
  }
}

/** Registers a context manager until the test ends, as the SDK for Node does. Without one, no span is active. */
export function useActiveSpans(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => context.disable());
}
