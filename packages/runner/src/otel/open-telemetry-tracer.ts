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
  /** OpenTelemetry's tracer. Default: the tracer `name` of the global provider, which may be registered later. */
  tracer?: OpenTelemetryTracer | undefined;
  /** Name of the instrumentation in the global provider. Default: `@thole/runner`. */
  name?: string | undefined;
  /** True if spans may contain texts, arguments, results and messages of errors other than `TholeError`. Default: false. */
  captureContent?: boolean | undefined;
  /**
   * Attribute names of captured content: `adk` for the names of ADK's web UI, `gen_ai` for the names of OpenTelemetry's
   * conventions. Default: both.
   */
  contentNames?: 'adk' | 'gen_ai' | undefined;
  /** True, or options, to record durations, the speed of streams and errors as metrics. Default: false. */
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
 * Returns a tracer for the OpenTelemetry SDK that the program has set up. Without an SDK, spans are dropped. A span without a
 * parent becomes a child of the active span. Models, tools and agents run with their span as the active span. If the SDK has
 * a context manager, spans of other instrumentations (requests, queries) become their children. Metrics do not need an SDK
 * for spans. Throws `INVALID_INPUT` for an unknown option.
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
      const parentContext = parent ? contextOf(parent, isServer) : context.active();
      const spanOptions = {
        kind: kind ? otelKinds[kind] : kindOf(attributes),
        attributes: toOtelAttributes(attributes),
        ...(isServer && parent && { links: linksToActive() }),
      };
      const span = tracer.startSpan(spanName, spanOptions, parentContext);
      const ownContext = markMemorySpan(trace.setSpan(parentContext, span), attributes);
      // GenAI metrics are recorded on the client. A server uses `measure`.
      const measured = recorder && !isServer ? MeasuredOperation.begin(recorder, attributes, ownContext) : undefined;
      return new OpenTelemetrySpan(span, ownContext, measured);
    },
    ...(recorder && {
      measure(metric, value, attributes = {}, span) {
        const activeContext = span ? contextOf(span, false) : context.active();
        recorder.histograms.measured.get(metric)?.record(value, toOtelAttributes(attributes), activeContext);
      },
    }),
  };
}

// A span of another tracer is identified by its ids, if they are valid in OpenTelemetry.
function contextOf(span: Span & { readonly otelContext?: Context | undefined }, isRemote: boolean): Context {
  const { otelContext, traceId, spanId, takesContent } = span;
  if (otelContext) return otelContext;
  // A span that drops content belongs to a trace that is not sampled.
  const traceFlags = takesContent === false ? TraceFlags.NONE : TraceFlags.SAMPLED;
  const spanContext = { traceId, spanId, traceFlags, isRemote };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(context.active(), spanContext) : context.active();
}

// The parent of a request is the client's span. The link points to the active span of the connection.
function linksToActive(): Link[] {
  const active = trace.getSpanContext(context.active());
  return active && isSpanContextValid(active) ? [{ context: active }] : [];
}

function kindOf(attributes: SpanAttributes): SpanKind {
  return remoteOperations.has(attributes['gen_ai.operation.name']) ? SpanKind.CLIENT : SpanKind.INTERNAL;
}
