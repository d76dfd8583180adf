import { setOwn } from '@thole/core/kit';
import type { JsonObject, Span, SpanAttributes } from '@thole/core';
import { describeError } from '../logging/describe-error.ts';

/** The app and user of a span's run. Undefined if the attributes of its root span do not contain them. */
export type SpanOwner = RecordedSpan['owner'];

/** The part of `SpanMemory` that a span uses. */
export interface SpanStore {
  /** Returns the time in seconds since the epoch. */
  now(): number;
  /** Called when attributes add `bytes` to a span. */
  onGrow(span: RecordedSpan, bytes: number): void;
}

/** Approximate bytes of a span without its texts. */
const OVERHEAD_BYTES = 400;

/** A recorded span with its attributes. */
export class RecordedSpan implements Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly owner: { readonly appName: string | undefined; readonly userId: string | undefined };
  readonly attributes: JsonObject = {};
  /** Nanoseconds since the epoch. */
  readonly startTime: number;
  /** Nanoseconds since the epoch. Undefined while the span is open. */
  endTime: number | undefined;
  bytes: number;
  /** False after the span was removed from the store. */
  isRetained: boolean = true;
  readonly #store: SpanStore;

  constructor(
    p: Pick<RecordedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId' | 'owner'>,
    attributes: SpanAttributes,
    store: SpanStore,
  ) {
    this.name = p.name;
    this.traceId = p.traceId;
    this.spanId = p.spanId;
    this.parentSpanId = p.parentSpanId;
    this.owner = p.owner;
    this.#store = store;
    this.startTime = toNanoseconds(store.now());
    this.bytes = OVERHEAD_BYTES + 2 * p.name.length + this.#addAttributes(attributes);
  }

  set(attributes: SpanAttributes): void {
    if (this.isRetained && this.endTime === undefined) this.#store.onGrow(this, this.#addAttributes(attributes));
  }

  /** Records the message, causes and stack of the error. */
  end(error?: unknown): void {
    if (this.endTime !== undefined) return;
    if (error !== undefined) {
      const { message, causes, stack } = describeError(error);
      this.set({ 'error.message': [message, ...causes].join(' < caused by: '), 'exception.stacktrace': stack });
    }
    // The clock may have been set back.
    this.endTime = Math.max(this.startTime, toNanoseconds(this.#store.now()));
  }

  #addAttributes(attributes: SpanAttributes): number {
    let bytes = 0;
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined) continue;
      if (Object.hasOwn(this.attributes, key)) bytes -= bytesOf(key, this.attributes[key]);
      setOwn(this.attributes, key, value);
      bytes += bytesOf(key, value);
    }
    return bytes;
  }
}

// Two bytes per character, the maximum of V8.
function bytesOf(key: string, value: unknown): number {
  return 2 * key.length + 2 * (typeof value === 'string' ? value.length : JSON.stringify(value).length) + 32;
}

// The clock is exact to microseconds only.
function toNanoseconds(seconds: number): number {
  return Math.round(seconds * 1e6) * 1e3;
}
