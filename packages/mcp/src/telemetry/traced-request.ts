import { callTracer, endFailed, errorTypeOf } from '@thole/core/kit';
import type { Json, Runtime, Span, SpanAttributes } from '@thole/core';

/** Attributes with too many different values for a metric. */
const spanOnlyAttributes: readonly string[] = ['jsonrpc.request.id', 'mcp.resource.uri', 'mcp.session.id'];

/** Parts of a request in spans and metrics. */
export interface TracedRequestInit {
  readonly runtime: Runtime;
  readonly side: 'client' | 'server';
  readonly attributes: SpanAttributes;
  /** The span that belongs to the request. */
  readonly span: Span | undefined;
  /** False for a span that does not end with the request. */
  readonly ownsSpan: boolean;
}

/** One request, from its start to its response. Errors of the tracer are logged and have no other effect. */
export class TracedRequest {
  readonly #init: TracedRequestInit;
  readonly #startedAt: number;

  constructor(init: TracedRequestInit) {
    this.#init = init;
    this.#startedAt = init.runtime.monotonic();
  }

  /** Calls `work` while the span is active, if the tracer supports that. */
  run(work: () => void): void {
    const { span } = this.#init;
    if (span?.run) span.run(work);
    else work();
  }

  /** Ends the span of the request and records its duration. `attributes` are known only at the end. */
  end(attributes: SpanAttributes, failure?: unknown): void {
    const { runtime, side, span, ownsSpan } = this.#init;
    const { tracer, logger } = runtime;
    const seconds = (runtime.monotonic() - this.#startedAt) / 1_000;
    const allAttributes = { ...this.#init.attributes, ...attributes, ...errorTypeAttributes(failure) };
    callTracer(logger, () =>
      tracer.measure?.(`mcp.${side}.operation.duration`, seconds, toMetricAttributes(allAttributes), span),
    );
    if (!span || !ownsSpan) return;
    callTracer(logger, () => {
      if (!span.isSilent) span.set(attributes);
    });
    const capturesContent = tracer.capturesContent === true;
    callTracer(logger, () => (failure === undefined ? span.end() : endFailed(span, failure, { capturesContent })));
  }
}

/** Records the duration of a session that began at `startedAt`, a time of `runtime.monotonic()`. */
export function measureSession(
  runtime: Runtime,
  p: { side: 'client' | 'server'; startedAt: number; attributes: SpanAttributes; failure?: unknown },
): void {
  const { tracer, logger } = runtime;
  const seconds = (runtime.monotonic() - p.startedAt) / 1_000;
  const attributes = { ...toMetricAttributes(p.attributes), ...errorTypeAttributes(p.failure) };
  callTracer(logger, () => tracer.measure?.(`mcp.${p.side}.session.duration`, seconds, attributes));
}

function errorTypeAttributes(failure: unknown): SpanAttributes {
  return failure === undefined ? {} : { 'error.type': errorTypeOf(failure) };
}

function toMetricAttributes(attributes: SpanAttributes): SpanAttributes {
  const result: { [name: string]: Json | undefined } = { ...attributes };
  for (const name of spanOnlyAttributes) delete result[name];
  return result;
}
