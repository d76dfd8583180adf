import type { Json } from '../json/json.ts';

/** Ends a timer; harmless after it has fired. */
export type Cancel = () => void;

/**
 * Clock, ids, randomness, timers, logs and traces: everything a run or a service takes from its surroundings.
 * `systemRuntime()` is the real one; `@thole/testing` has one that a test drives.
 */
export interface Runtime {
  /** Seconds since the epoch, with fractions. */
  now(): number;
  /** Milliseconds that never go back, from an arbitrary beginning. */
  monotonic(): number;
  /** A new id; `kind` says of what (`event`, `invocation`, `call`, `session`, `incarnation` …). Unique over processes. */
  newId(kind: string): string;
  /** From 0 to below 1. */
  random(): number;
  /** Waits, and holds the process meanwhile. Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` once, later; does not hold the process. */
  timer(ms: number, fn: () => void): Cancel;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

/** Fields are ids, names, codes and counts; never message text, arguments or state values. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Ids, names, codes and counts of a log line. */
export type LogFields = { readonly [key: string]: unknown };

/** Begins spans. */
export interface Tracer {
  /** Begins a span; without a parent it begins a trace. */
  start(name: string, attributes?: SpanAttributes, parent?: Span): Span;
}

/** A piece of work in a trace; it lasts until `end`. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  set(attributes: SpanAttributes): void;
  /** With an error the span is marked as failed. */
  end(error?: unknown): void;
}

/** What a span is told: names, ids and counts. */
export type SpanAttributes = { readonly [key: string]: Json | undefined };
