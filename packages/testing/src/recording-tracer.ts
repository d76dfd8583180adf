import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Json, Span, SpanAttributes, Tracer } from '@thole/core';

/** Options of `RecordingTracer`. All are optional. */
export interface RecordingTracerOptions {
  /** True to record texts, arguments and results too. Default: false. */
  capturesContent?: boolean | undefined;
}

const names = optionNames<RecordingTracerOptions>({ capturesContent: true });

/** One recorded span. */
export interface RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parent: RecordedSpan | undefined;
  /** Attributes with a value other than undefined. */
  readonly attributes: { readonly [key: string]: Json };
  readonly error: unknown;
  /** Number of `end` calls. Correct code calls it once. */
  readonly ends: number;
}

/** A tracer that records spans, for tests: `new FixedRuntime({ tracer })`. */
export class RecordingTracer implements Tracer {
  readonly capturesContent: boolean;
  /** Spans in the order in which they started. */
  readonly spans: RecordedSpan[] = [];
  readonly #byId = new Map<string, RecordingSpan>();

  constructor(options: RecordingTracerOptions = {}) {
    rejectUnknownOptions(options, names, 'RecordingTracer');
    this.capturesContent = options.capturesContent ?? false;
  }

  start(name: string, attributes: SpanAttributes = {}, parent?: Span): Span {
    const span = new RecordingSpan(name, `span-${this.spans.length + 1}`, parent && this.#byId.get(parent.spanId));
    span.set(attributes);
    this.spans.push(span);
    this.#byId.set(span.spanId, span);
    return span;
  }

  /** Returns the first span with this name. Throws if there is none. */
  named(name: string): RecordedSpan {
    const span = this.spans.find((each) => each.name === name);
    if (!span)
      throw new Error(`There is no span "${name}". Recorded spans: ${this.spans.map((each) => each.name).join(', ')}.`);
    return span;
  }

  /**
   * Returns the names, each indented by two spaces more than its parent's, children in the order in which they
   * started.
   */
  outline(): string[] {
    const linesOf = (span: RecordedSpan, depth: number): string[] => [
      `${'  '.repeat(depth)}${span.name}`,
      ...this.spans.filter(({ parent }) => parent === span).flatMap((child) => linesOf(child, depth + 1)),
    ];
    return this.spans.filter(({ parent }) => !parent).flatMap((span) => linesOf(span, 0));
  }
}

class RecordingSpan implements Span, RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parent: RecordedSpan | undefined;
  readonly attributes: { [key: string]: Json } = {};
  error: unknown;
  ends: number = 0;

  constructor(name: string, spanId: string, parent: RecordingSpan | undefined) {
    this.name = name;
    this.spanId = spanId;
    this.traceId = parent?.traceId ?? `trace-${spanId}`;
    this.parent = parent;
  }

  set(attributes: SpanAttributes): void {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.attributes[key] = value;
  }

  end(error?: unknown): void {
    this.error = error;
    this.ends++;
  }
}
