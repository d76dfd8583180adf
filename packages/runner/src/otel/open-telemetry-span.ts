import { context, SpanStatusCode } from '@opentelemetry/api';
import type { Context, Span as OtelSpan } from '@opentelemetry/api';
import type { Span, SpanAttributes } from '@thole/core';
import { toOtelAttributes } from './to-otel-attributes.ts';

/** A span of OpenTelemetry. */
export class OpenTelemetrySpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSilent: boolean;
  /**
   * The context in which the span is active; child spans start in it. Two copies of this package recognize each
   * other's spans by this member.
   */
  readonly otelContext: Context;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan, otelContext: Context) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.isSilent = !span.isRecording();
    this.otelContext = otelContext;
    this.#span = span;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(toOtelAttributes(attributes));
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      const exception = error instanceof Error ? error : typeof error === 'string' ? error : 'It failed.';
      this.#span.recordException(exception);
      this.#span.setStatus({
        code: SpanStatusCode.ERROR,
        message: typeof exception === 'string' ? exception : exception.message,
      });
    }
    this.#span.end();
  }

  run<T>(work: () => T): T {
    return context.with(this.otelContext, work);
  }
}
