import { systemRuntime } from '@thole/core';
import { assertCount, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime, Span, SpanAttributes, Tracer } from '@thole/core';
import { KeptSpan } from './kept-span.ts';
import type { SpanOwner } from './kept-span.ts';

/** How much is kept. Beyond it the oldest traces go, and of a trace that is too large by itself its oldest spans. */
export interface SpanMemoryOptions {
  /** 10,000 */
  spans?: number | undefined;
  /** About so many bytes, 64 MiB. */
  bytes?: number | undefined;
  /** Its clock, and its randomness for ids. */
  runtime?: Runtime | undefined;
}

/**
 * Keeps a bounded number of spans in memory, with what was said, for looking at them while developing. A span is of the app and the user
 * that its root was told of (`gen_ai.workflow.name` and `user.id`).
 */
export class SpanMemory implements Tracer {
  readonly capturesContent: true = true;
  readonly #runtime: Runtime;
  readonly #mostSpans: number;
  readonly #mostBytes: number;
  /** In the order in which traces began. */
  readonly #traces: Map<string, KeptSpan[]> = new Map();
  readonly #owners: WeakMap<Span, SpanOwner> = new WeakMap();
  #spans: number = 0;
  #bytes: number = 0;

  /** `INVALID_INPUT` for a number that is no whole one from 1 on. */
  constructor(options: SpanMemoryOptions = {}) {
    rejectUnknownOptions(options, ['spans', 'bytes', 'runtime'], 'SpanMemory');
    const { spans = 10_000, bytes = 64 * 1024 * 1024, runtime = systemRuntime() } = options;
    assertCount('spans', spans, 1);
    assertCount('bytes', bytes, 1);
    this.#runtime = runtime;
    this.#mostSpans = spans;
    this.#mostBytes = bytes;
  }

  start(name: string, attributes: SpanAttributes = {}, parent?: Span): Span {
    const parentIds = parent?.spanId ? { traceId: parent.traceId, parentSpanId: parent.spanId } : undefined;
    const ids = parentIds ?? { traceId: this.#hex(32), parentSpanId: undefined };
    const owner = (parent && this.#owners.get(parent)) ?? ownerIn(attributes);
    const span = new KeptSpan({ name, ...ids, spanId: this.#hex(16), owner }, attributes, {
      now: () => this.#runtime.now(),
      grew: (grown, bytes) => this.#grew(grown, bytes),
    });
    this.#owners.set(span, owner);
    const trace = this.#traces.get(ids.traceId);
    if (trace) trace.push(span);
    else this.#traces.set(ids.traceId, [span]);
    this.#spans += 1;
    this.#bytes += span.bytes;
    this.#makeRoom();
    return span;
  }

  /** The newest span that this event came from. */
  ofEvent(eventId: string): KeptSpan | undefined {
    let found: KeptSpan | undefined;
    for (const trace of this.#traces.values()) {
      for (const span of trace) if (span.attributes['gcp.vertex.agent.event_id'] === eventId) found = span;
    }
    return found;
  }

  /** Spans of the traces in which this session stands, those of agents that ran as tools included, in the order in which they began. */
  ofSession(sessionId: string): KeptSpan[] {
    const isOf = ({ attributes }: KeptSpan): boolean =>
      attributes['gcp.vertex.agent.session_id'] === sessionId || attributes['gen_ai.conversation.id'] === sessionId;
    return [...this.#traces.values()].filter((trace) => trace.some(isOf)).flat();
  }

  #grew(span: KeptSpan, bytes: number): void {
    span.bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  #makeRoom(): void {
    while (this.#spans > this.#mostSpans || this.#bytes > this.#mostBytes) {
      const [traceId, trace] = this.#traces.entries().next().value!;
      const isOnlyOne = this.#traces.size === 1;
      for (const span of isOnlyOne ? trace.splice(0, 1) : trace) {
        span.isKept = false;
        this.#spans -= 1;
        this.#bytes -= span.bytes;
      }
      if (!isOnlyOne || trace.length === 0) this.#traces.delete(traceId);
    }
  }

  #hex(digits: number): string {
    let text = '';
    while (text.length < digits)
      text += Math.floor(this.#runtime.random() * 0x10000)
        .toString(16)
        .padStart(4, '0');
    // All zeros is no id.
    return /[^0]/.test(text) ? text : this.#hex(digits);
  }
}

function ownerIn(attributes: SpanAttributes): SpanOwner {
  const text = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { appName: text('gen_ai.workflow.name'), userId: text('user.id') };
}
