import { context, isSpanContextValid, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Tracer as OpenTelemetryTracer } from '@opentelemetry/api';
import type { Span, SpanAttributes, Tracer } from '@thole/core';
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
}

/**
 * Returns a tracer for the OpenTelemetry SDK that the program has set up; without an SDK, spans are dropped. A span
 * without a parent becomes a child of the active span. Models, tools and agents run with their span as the active
 * one, so that spans of other instrumentations (requests, queries) are their children, if the SDK has a context
 * manager.
 */
export function openTelemetryTracer(options: OpenTelemetryOptions = {}): Tracer {
  const { name = '@thole/runner', captureContent = false } = options;
  const tracer = options.tracer ?? trace.getTracer(name);
  return {
    capturesContent: captureContent,
    start(spanName, attributes = {}, parent) {
      const above = parent ? contextOf(parent) : context.active();
      const kind = kindOf(attributes);
      const span = tracer.startSpan(spanName, { kind, attributes: toOtelAttributes(attributes) }, above);
      return new OpenTelemetrySpan(span, trace.setSpan(above, span));
    },
  };
}

// A span of another tracer is identified by its ids, if they are OpenTelemetry's.
function contextOf(parent: Span & { readonly otelContext?: Context | undefined }): Context {
  const { otelContext, traceId, spanId } = parent;
  if (otelContext) return otelContext;
  const spanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(context.active(), spanContext) : context.active();
}

// Models usually run on another host; all other work is done here.
function kindOf(attributes: SpanAttributes): SpanKind {
  return attributes['gen_ai.operation.name'] === 'generate_content' ? SpanKind.CLIENT : SpanKind.INTERNAL;
}
