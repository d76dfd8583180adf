import { context, isSpanContextValid, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Tracer as OpenTelemetryTracer } from '@opentelemetry/api';
import type { Span, SpanAttributes, Tracer } from '@thole/core';
import { OpenTelemetrySpan } from './open-telemetry-span.ts';
import { toOtelAttributes } from './to-otel-attributes.ts';

/** Where spans go and what they may say; every member may be left out. */
export interface OpenTelemetryOptions {
  /** OpenTelemetry's tracer; the one that the global provider has under `name`, also if it is registered later. */
  tracer?: OpenTelemetryTracer | undefined;
  /** Of the instrumentation, for the global provider (`@thole/runner`). */
  name?: string | undefined;
  /** Whether spans hold texts, arguments, results and messages of foreign errors (false). */
  captureContent?: boolean | undefined;
}

/**
 * Spans for whatever OpenTelemetry SDK the program has set up; without one they go nowhere. A span without a parent stands
 * below the span that is active where it begins. Models, tools and agents run with theirs as the active one, so that what
 * other instrumentations record (requests, queries) stands below, where the SDK has a context manager.
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

// A span that somebody else made is told by its ids, if they are OpenTelemetry's.
function contextOf(parent: Span & { readonly otelContext?: Context | undefined }): Context {
  const { otelContext, traceId, spanId } = parent;
  if (otelContext) return otelContext;
  const told = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return isSpanContextValid(told) ? trace.setSpanContext(context.active(), told) : context.active();
}

// Models mostly stand elsewhere; all else is done here.
function kindOf(attributes: SpanAttributes): SpanKind {
  return attributes['gen_ai.operation.name'] === 'generate_content' ? SpanKind.CLIENT : SpanKind.INTERNAL;
}
