import { systemRuntime } from '@thole/core';
import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime, Span, SpanAttributes, Tracer } from '@thole/core';
import { RecordedSpan } from './recorded-span.ts';
import type { SpanOwner } from './recorded-span.ts';

/**
 * Options of `SpanMemory`. If a limit is exceeded, the oldest traces are removed. If there is only one trace, its oldest spans
 * are removed.
 */
export interface SpanMemoryOptions {
  /** Maximum number of spans. Default: 10,000. */
  spans?: number | undefined;
  /** Approximate maximum of bytes. Default: 64 MiB. */
  bytes?: number | undefined;
  /** Clock, and randomness for ids. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const knownOptions = optionNames<SpanMemoryOptions>({ spans: true, bytes: true, runtime: true });

/**
 * A tracer for development that keeps spans in memory, with the content of messages. Pass it to `createHandler` as `traces`. A
 * span belongs to the app and user in the attributes of its root span (`gen_ai.workflow.name` and `user.id`).
 */
export class SpanMemory implements Tracer {
  readonly capturesContent: true = true;
  readonly contentNames = 'adk' as const;
  readonly #runtime: Runtime;
  readonly #maxSpans: number;
  readonly #maxBytes: number;
  /** Spans by trace id, oldest trace first. */
  readonly #traces: Map<string, RecordedSpan[]> = new Map();
  readonly #owners: WeakMap<Span, SpanOwner> = new WeakMap();
  #spans: number = 0;
  #bytes: number = 0;

  /** Throws `INVALID_INPUT` for a limit that is not an integer ≥ 1. */
  constructor(options: SpanMemoryOptions = {}) {
    rejectUnknownOptions(options, knownOptions, 'SpanMemory');
    const { spans = 10_000, bytes = 64 * 1024 * 1024, runtime = systemRuntime() } = options;
    assertCount('spans', spans, 1);
    assertCount('bytes', bytes, 1);
    this.#runtime = runtime;
    this.#maxSpans = spans;
    this.#maxBytes = bytes;
  }

  start(name: string, attributes: SpanAttributes = {}, parent?: Span): Span {
    const parentIds = parent?.spanId ? { traceId: parent.traceId, parentSpanId: parent.spanId } : undefined;
    const ids = parentIds ?? { traceId: this.#hex(32), parentSpanId: undefined };
    const owner = (parent && this.#owners.get(parent)) ?? ownerOf(attributes);
    const span = new RecordedSpan({ name, ...ids, spanId: this.#hex(16), owner }, attributes, {
      now: () => this.#runtime.now(),
      onGrow: (grownSpan, bytes) => this.#addBytes(grownSpan, bytes),
    });
    this.#owners.set(span, owner);
    const trace = this.#traces.get(ids.traceId);
    if (trace) trace.push(span);
    else this.#traces.set(ids.traceId, [span]);
    this.#spans += 1;
    this.#bytes += span.bytes;
    this.#removeOldest();
    return span;
  }

  /** Returns the newest span of the event with this id. Undefined if there is none. */
  ofEvent(eventId: string): RecordedSpan | undefined {
    let found: RecordedSpan | undefined;
    for (const trace of this.#traces.values()) {
      for (const span of trace) if (span.attributes['gcp.vertex.agent.event_id'] === eventId) found = span;
    }
    return found;
  }

  /**
   * Returns all spans of the traces that contain this session, in the order of their start, including spans of agents that ran as
   * tools. Empty if nothing was recorded.
   */
  ofSession(sessionId: string): RecordedSpan[] {
    const isOfSession = ({ attributes }: RecordedSpan): boolean =>
      attributes['gcp.vertex.agent.session_id'] === sessionId || attributes['gen_ai.conversation.id'] === sessionId;
    return [...this.#traces.values()].filter((trace) => trace.some(isOfSession)).flat();
  }

  #addBytes(span: RecordedSpan, bytes: number): void {
    span.bytes += bytes;
    this.#bytes += bytes;
    this.#removeOldest();
  }

  #removeOldest(): void {
    while (this.#spans > this.#maxSpans || this.#bytes > this.#maxBytes) {
      const [traceId, trace] = this.#traces.entries().next().value!;
      const isLastTrace = this.#traces.size === 1;
      for (const span of isLastTrace ? trace.splice(0, 1) : trace) {
        span.isRetained = false;
        this.#spans -= 1;
        this.#bytes -= span.bytes;
      }
      if (!isLastTrace || trace.length === 0) this.#traces.delete(traceId);
    }
  }

  #hex(digits: number): string {
    let text = '';
    while (text.length < digits)
      text += Math.floor(this.#runtime.random() * 0x10000)
        .toString(16)
        .padStart(4, '0');
    // An id of only zeros is invalid.
    return /[^0]/.test(text) ? text : this.#hex(digits);
  }
}

function ownerOf(attributes: SpanAttributes): SpanOwner {
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { appName: text('gen_ai.workflow.name'), userId: text('user.id') };
}
