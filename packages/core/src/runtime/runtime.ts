import type { Json } from '../json/json.ts';

/** Ends a timer; harmless after it has fired. */
export type CancelTimer = () => void;

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
  /** Waits `ms` milliseconds and holds the process meanwhile; `Infinity` waits for the signal alone. Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` once after `ms` milliseconds, never for `Infinity`; does not hold the process. */
  timer(ms: number, fn: () => void): CancelTimer;
  /** Resolves when this turn of the event loop is over: what needs no waiting for the world is done by then. Absent where nobody can tell. */
  afterMicrotasks?(): Promise<void>;
  /** Resolves in a later turn of the event loop, so that timers and input are handled before. Optional: without it, work that never waits holds them up. */
  eventLoopTurn?(): Promise<void>;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

/** Fields are ids, names, codes, counts and errors (`errorFields`); never texts of messages, arguments or state values. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Ids, names, codes and counts of a log line. */
export type LogFields = { readonly [key: string]: unknown };

/** Begins spans. Strangers implement this; it is only ever extended. */
export interface Tracer {
  /** Whether it records nothing: whoever would begin spans then need not, nor prepare what they would be told. */
  readonly isSilent?: boolean | undefined;
  /**
   * Whether spans may hold what was said: message texts, requests and answers of models, arguments and results of tools, and
   * the messages of errors that others threw. Without it spans hold names, ids, codes and counts.
   */
  readonly capturesContent?: boolean | undefined;
  /** Begins a span; without a parent it is the tracer's to say where it stands: in a trace of its own, or below what is active. */
  start(name: string, attributes?: SpanAttributes, parent?: Span): Span;
}

/** A piece of work in a trace; it lasts until `end`. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether nothing that it is told is kept (it was not sampled, say). */
  readonly isSilent?: boolean | undefined;
  set(attributes: SpanAttributes): void;
  /** With an error the span is marked as failed. */
  end(error?: unknown): void;
  /** Does the work, and what it begins, with this span as the active one, where the tracer's world knows such a thing. */
  run?<T>(work: () => T): T;
}

/** What a span is told: names, ids and counts; content where it is captured. */
export type SpanAttributes = { readonly [key: string]: Json | undefined };
