import type { Json, Span, SpanAttributes, Tracer } from '@thole/core';

/** What a recording tracer asks to be told; every member may be left out. */
export interface RecordingTracerOptions {
  /** Texts, arguments and results too (false). */
  capturesContent?: boolean | undefined;
}

/** One span as it was told, so far. */
export interface RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parent: RecordedSpan | undefined;
  /** Those that are undefined are not there. */
  readonly attributes: { readonly [key: string]: Json };
  readonly error: unknown;
  /** How often it was ended: once, where all is well. */
  readonly ends: number;
}

/** A tracer that keeps what it is told, for tests: `new FixedRuntime({ tracer })`. */
export class RecordingTracer implements Tracer {
  readonly capturesContent: boolean;
  /** In the order in which they began. */
  readonly spans: RecordedSpan[] = [];
  readonly #byId = new Map<string, KeptSpan>();

  constructor(options: RecordingTracerOptions = {}) {
    this.capturesContent = options.capturesContent ?? false;
  }

  start(name: string, attributes: SpanAttributes = {}, parent?: Span): Span {
    const span = new KeptSpan(name, `span-${this.spans.length + 1}`, parent && this.#byId.get(parent.spanId));
    span.set(attributes);
    this.spans.push(span);
    this.#byId.set(span.spanId, span);
    return span;
  }

  /** The first span of this name; throws where there is none. */
  named(name: string): RecordedSpan {
    const span = this.spans.find((each) => each.name === name);
    if (!span)
      throw new Error(`No span is called ${name}; there are: ${this.spans.map((each) => each.name).join(', ')}.`);
    return span;
  }

  /** The names, each indented by two blanks more than its parent's, children in the order in which they began. */
  outline(): string[] {
    const linesOf = (span: RecordedSpan, depth: number): string[] => [
      `${'  '.repeat(depth)}${span.name}`,
      ...this.spans.filter(({ parent }) => parent === span).flatMap((child) => linesOf(child, depth + 1)),
    ];
    return this.spans.filter(({ parent }) => !parent).flatMap((span) => linesOf(span, 0));
  }
}

class KeptSpan implements Span, RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parent: RecordedSpan | undefined;
  readonly attributes: { [key: string]: Json } = {};
  error: unknown;
  ends: number = 0;

  constructor(name: string, spanId: string, parent: KeptSpan | undefined) {
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
