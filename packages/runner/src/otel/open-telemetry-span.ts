import { context, SpanStatusCode } from '@opentelemetry/api';
import type { Context, Span as OtelSpan } from '@opentelemetry/api';
import type { Span, SpanAttributes } from '@thole/core';
import type { MeasuredOperation } from './measured-operation.ts';
import { toOtelAttributes } from './to-otel-attributes.ts';

/** A span of OpenTelemetry, with its measurement if metrics are enabled. */
export class OpenTelemetrySpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSilent: boolean;
  /** False if only metrics are recorded. */
  readonly takesContent: boolean;
  /**
   * The context in which the span is active. Child spans start in it. Copies of this package recognize each other's spans
   * by this member.
   */
  readonly otelContext: Context;
  readonly #span: OtelSpan;
  readonly #measured: MeasuredOperation | undefined;

  constructor(span: OtelSpan, otelContext: Context, measured: MeasuredOperation | undefined) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.takesContent = span.isRecording();
    this.isSilent = !this.takesContent && !measured;
    this.otelContext = otelContext;
    this.#span = span;
    this.#measured = measured;
  }

  set(attributes: SpanAttributes): void {
    this.#measured?.set(attributes);
    if (this.takesContent) this.#span.setAttributes(toOtelAttributes(attributes));
  }

  chunk(): void {
    this.#measured?.chunk();
  }

  end(error?: unknown): void {
    try {
      this.#measured?.end(error);
    } finally {
      if (error !== undefined) this.#recordError(error);
      this.#span.end();
    }
  }

  run<T>(work: () => T): T {
    return context.with(this.otelContext, work);
  }

  #recordError(error: unknown): void {
    const exception = error instanceof Error ? error : typeof error === 'string' ? error : 'The operation failed.';
    this.#span.recordException(exception);
    this.#span.setStatus({
      code: SpanStatusCode.ERROR,
      message: typeof exception === 'string' ? exception : exception.message,
    });
  }
}
