import { callTracer, endFailed, silentSpan } from '@thole/core/kit';
import type { Event, Runtime, Span, SpanAttributes } from '@thole/core';

/** The names and ids of a traced run. */
export interface TracedRun {
  readonly invocationId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** Functions that return attributes with content, one for each set of names. */
export interface TracedContent {
  /** Under the names that ADK's web UI reads. */
  readonly adk: () => SpanAttributes;
  /** Under the names of OpenTelemetry's conventions. */
  readonly genAi: () => SpanAttributes;
}

/**
 * The spans of one run. A run with a silent tracer has no `RunTrace`. All spans end with the run at the latest, also those of
 * a tool or model that ignores its signal. Errors of a tracer are logged and have no other effect.
 */
export class RunTrace {
  readonly capturesContent: boolean;
  /** The span of the whole run. */
  readonly root: Span;
  readonly #runtime: Runtime;
  readonly #ids: SpanAttributes;
  readonly #open: Set<Span> = new Set();
  #isClosed: boolean = false;

  constructor(runtime: Runtime, run: TracedRun, parent: Span | undefined) {
    this.#runtime = runtime;
    this.capturesContent = runtime.tracer.capturesContent === true;
    this.#ids = {
      'gen_ai.conversation.id': run.sessionId,
      'gcp.vertex.agent.session_id': run.sessionId,
      'gcp.vertex.agent.invocation_id': run.invocationId,
    };
    this.root = this.begin(
      'invocation',
      { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': run.appName, 'user.id': run.userId },
      parent,
    );
  }

  begin(name: string, attributes: SpanAttributes, parent: Span | undefined): Span {
    if (this.#isClosed) return silentSpan;
    const { logger, tracer } = this.#runtime;
    const span = callTracer(logger, () => tracer.start(name, { ...attributes, ...this.#ids }, parent)) ?? silentSpan;
    this.#open.add(span);
    return span;
  }

  /** Sets attributes of an open span. Computes them only if the span records them. */
  set(span: Span, attributes: () => SpanAttributes): void {
    if (!span.isSilent && this.#open.has(span)) callTracer(this.#runtime.logger, () => span.set(attributes()));
  }

  /** Adds content under the names that the tracer wants, if it captures content. */
  setContent(span: Span, content: TracedContent): void {
    if (!this.capturesContent || span.takesContent === false) return;
    const names = this.#runtime.tracer.contentNames;
    if (names !== 'gen_ai') this.set(span, content.adk);
    if (names !== 'adk') this.set(span, content.genAi);
  }

  /** Reports a piece of a streamed answer. */
  chunk(span: Span): void {
    if (span.chunk && this.#open.has(span)) callTracer(this.#runtime.logger, () => span.chunk!());
  }

  /** Ends a span. Has no effect on a span that has ended. */
  end(span: Span, error?: unknown): void {
    if (!this.#open.delete(span)) return;
    callTracer(this.#runtime.logger, () => (error === undefined ? span.end() : endFailed(span, error, this)));
  }

  /** Ends all open spans, the newest first. */
  close(error: unknown): void {
    this.#isClosed = true;
    for (const span of [...this.#open].reverse()) this.end(span, error);
  }
}

/** Runs the work with this span as the active span. Without a span, only runs the work. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return span?.run ? span.run(work) : work();
}

/**
 * Runs the agent's next step within a span. A separate function, because a closure in the loop would also cost time without
 * spans.
 */
export function stepInSpan(
  span: Span | undefined,
  steps: AsyncGenerator<Event, void, Event>,
  ...stored: [] | [Event]
): Promise<IteratorResult<Event, void>> {
  return inSpan(span, () => steps.next(...stored));
}
