import { setOwn } from '@thole/core/kit';
import type { JsonObject, Span, SpanAttributes } from '@thole/core';
import { describeError } from '../logging/describe-error.ts';

/** Whose run a span belongs to, as far as the tracer was told. */
export interface SpanOwner {
  readonly appName: string | undefined;
  readonly userId: string | undefined;
}

/** Told of every growth, so that it can make room. */
export interface SpanKeeper {
  now(): number;
  grew(span: KeptSpan, bytes: number): void;
}

/** About what a span takes besides its texts. */
const OVERHEAD = 400;

/** A span and what it was told. */
export class KeptSpan implements Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly owner: SpanOwner;
  readonly attributes: JsonObject = {};
  /** Nanoseconds since the epoch. */
  readonly startTime: number;
  /** Absent while it goes on. */
  endTime: number | undefined;
  bytes: number;
  /** Whether it is still among those that can be read. */
  isKept: boolean = true;
  readonly #keeper: SpanKeeper;

  constructor(
    p: Pick<KeptSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId' | 'owner'>,
    attributes: SpanAttributes,
    keeper: SpanKeeper,
  ) {
    this.name = p.name;
    this.traceId = p.traceId;
    this.spanId = p.spanId;
    this.parentSpanId = p.parentSpanId;
    this.owner = p.owner;
    this.#keeper = keeper;
    this.startTime = nanoseconds(keeper.now());
    this.bytes = OVERHEAD + 2 * p.name.length + this.#take(attributes);
  }

  set(attributes: SpanAttributes): void {
    if (this.isKept && this.endTime === undefined) this.#keeper.grew(this, this.#take(attributes));
  }

  /** Keeps the message, causes and stack of an error. */
  end(error?: unknown): void {
    if (this.endTime !== undefined) return;
    if (error !== undefined) {
      const { message, causes, stack } = describeError(error);
      this.set({ 'error.message': [message, ...causes].join(' < caused by: '), 'exception.stacktrace': stack });
    }
    this.endTime = nanoseconds(this.#keeper.now());
  }

  #take(attributes: SpanAttributes): number {
    let bytes = 0;
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined) continue;
      if (Object.hasOwn(this.attributes, key)) bytes -= sizeOf(key, this.attributes[key]);
      setOwn(this.attributes, key, value);
      bytes += sizeOf(key, value);
    }
    return bytes;
  }
}

// Two bytes for each character, as text takes at most.
function sizeOf(key: string, value: unknown): number {
  return 2 * key.length + 2 * (typeof value === 'string' ? value.length : JSON.stringify(value).length) + 32;
}

// By way of microseconds, which the clock's number still holds.
function nanoseconds(seconds: number): number {
  return Math.round(seconds * 1e6) * 1e3;
}
