import { callTracer } from './call-tracer.ts';
import { endFailed } from './end-failed.ts';
import type { Runtime, Span, SpanAttributes } from './runtime.ts';
import { silentSpan } from './silent.ts';

/** Work with its own span. */
export interface TracedWork<T> {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** Returns the attributes of the result. */
  readonly result?: ((result: T) => SpanAttributes) | undefined;
}

/**
 * Runs work in a new span. For work outside of a run. The span is a child of the active span, if the tracer knows it.
 * Errors of the tracer are logged and have no other effect.
 */
export async function inNewSpan<T>(
  runtime: Pick<Runtime, 'tracer' | 'logger'>,
  traced: TracedWork<T>,
  work: () => Promise<T>,
): Promise<T> {
  const { tracer, logger } = runtime;
  const span: Span = callTracer(logger, () => tracer.start(traced.name, traced.attributes)) ?? silentSpan;
  try {
    const result = await (span.run ? span.run(work) : work());
    callTracer(logger, () => {
      if (traced.result && !span.isSilent) span.set(traced.result(result));
    });
    callTracer(logger, () => span.end());
    return result;
  } catch (error) {
    callTracer(logger, () => endFailed(span, error, { capturesContent: tracer.capturesContent === true }));
    throw error;
  }
}
