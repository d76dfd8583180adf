import { context, isSpanContextValid, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Link, Tracer as OpenTelemetryTracer } from '@opentelemetry/api';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Span, SpanAttributes, Tracer } from '@thole/core';
import { MeasuredOperation } from './measured-operation.ts';
import { markMemorySpan } from './memory-span-mark.ts';
import { MetricsRecorder } from './metrics-recorder.ts';
import type { MetricsOptions } from './metrics-recorder.ts';
import { OpenTelemetrySpan } from './open-telemetry-span.ts';
import { toOtelAttributes } from './to-otel-attributes.ts';

/** Options of `openTelemetryTracer`. All are optional. */
export interface OpenTelemetryOptions {
  /** OpenTelemetry's tracer. Default: that of the global provider with `name`, also if it is registered later. */
  tracer?: OpenTelemetryTracer | undefined;
  /** Name of the instrumentation at the global provider. Default: `@thole/runner`. */
  name?: string | undefined;
  /** True if spans may hold texts, arguments, results and messages of foreign errors. Default: false. */
  captureContent?: boolean | undefined;
  /**
   * Names of captured content: `adk` for those of ADK's web UI, `gen_ai` for those of OpenTelemetry's conventions.
   * Default: both.
   */
  contentNames?: 'adk' | 'gen_ai' | undefined;
  /** True, or options, to record durations, the pace of streams, errors and tokens as metrics. Default: false. */
  metrics?: boolean | MetricsOptions | undefined;
}

const knownOptions = optionNames<OpenTelemetryOptions>({
  tracer: true,
  name: true,
  captureContent: true,
  contentNames: true,
  metrics: true,
});

const otelKinds = { client: SpanKind.CLIENT, server: SpanKind.SERVER } as const;

/** Operations that usually run on another host. */
const remoteOperations: ReadonlySet<unknown> = new Set(['generate_content', 'embeddings', 'retrieval']);

/**
 * Returns a tracer for the OpenTelemetry SDK that the program has set up; without an SDK, spans are dropped. A span
 * without a parent becomes a child of the active span. Models, tools and agents run with their span as the active
 * one, so that spans of other instrumentations (requests, queries) are their children, if the SDK has a context
 * manager. Metrics do not need an SDK for spans. Throws `INVALID_INPUT` for an unknown option.
 */
export function openTelemetryTracer(options: OpenTelemetryOptions = {}): Tracer {
  rejectUnknownOptions(options, knownOptions, 'openTelemetryTracer');
  const { name = '@thole/runner', captureContent = false, contentNames, metrics = false } = options;
  if (contentNames !== undefined && contentNames !== 'adk' && contentNames !== 'gen_ai')
    throw invalidInput('contentNames of openTelemetryTracer', "'adk' or 'gen_ai'", contentNames);
  const recorder = metrics === false ? undefined : new MetricsRecorder(metrics === true ? {} : metrics, name);
  const tracer = options.tracer ?? trace.getTracer(name);
  return {
    capturesContent: captureContent,
    contentNames,
    start(spanName, attributes = {}, parent, { kind } = {}) {
      const isServer = kind === 'server';
      const above = parent ? contextOf(parent, isServer) : context.active();
      const spanOptions = {
        kind: kind ? otelKinds[kind] : kindOf(attributes),
        attributes: toOtelAttributes(attributes),
        ...(isServer && parent && { links: linksToActive() }),
      };
      const span = tracer.startSpan(spanName, spanOptions, above);
      const own = markMemorySpan(trace.setSpan(above, span), attributes);
      // The metrics of GenAI are those of the client. A server measures with `measure`.
      const measured = recorder && !isServer ? MeasuredOperation.begin(recorder, attributes, own) : undefined;
      return new OpenTelemetrySpan(span, own, measured);
    },
    ...(recorder && {
      measure(metric, value, attributes = {}, span) {
        const within = span ? contextOf(span, false) : context.active();
        recorder.histograms.measured.get(metric)?.record(value, toOtelAttributes(attributes), within);
      },
    }),
  };
}

// A span of another tracer is identified by its ids, if they are OpenTelemetry's.
function contextOf(span: Span & { readonly otelContext?: Context | undefined }, isRemote: boolean): Context {
  const { otelContext, traceId, spanId, takesContent } = span;
  if (otelContext) return otelContext;
  // A span that drops content belongs to a trace that is not sampled.
  const traceFlags = takesContent === false ? TraceFlags.NONE : TraceFlags.SAMPLED;
  const spanContext = { traceId, spanId, traceFlags, isRemote };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(context.active(), spanContext) : context.active();
}

// A request has the client's span as its parent, and a link to that of the connection which brought it.
function linksToActive(): Link[] {
  const active = trace.getSpanContext(context.active());
  return active && isSpanContextValid(active) ? [{ context: active }] : [];
}

function kindOf(attributes: SpanAttributes): SpanKind {
  return remoteOperations.has(attributes['gen_ai.operation.name']) ? SpanKind.CLIENT : SpanKind.INTERNAL;
}
