import type { Json } from '../json/json.ts';

/** Cancels a timer. Has no effect after the timer has fired. */
export type CancelTimer = () => void;

/**
 * Clock, ids, randomness, timers, logs and traces of runs and services. `systemRuntime()` uses the real clock and
 * timers. `FixedRuntime` of `@thole/testing` is controlled by a test.
 */
export interface Runtime {
  /** Returns the time in seconds since the epoch, with fractions. */
  now(): number;
  /** Returns milliseconds that never decrease, from an arbitrary start. */
  monotonic(): number;
  /**
   * Returns a new id, unique across processes. `kind` names its use (`event`, `invocation`, `call`, `session`,
   * `incarnation` …).
   */
  newId(kind: string): string;
  /** Returns a number ≥ 0 and < 1. */
  random(): number;
  /**
   * Waits `ms` milliseconds and keeps the process running. `Infinity` waits for the signal only. Rejects with the
   * signal's reason when it is aborted.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `fn` once after `ms` milliseconds; never for `Infinity`. Does not keep the process running, unless `keepAlive` is
   * true: then the process runs until the timer fires or is cancelled.
   */
  timer(ms: number, fn: () => void, options?: { keepAlive?: boolean | undefined }): CancelTimer;
  /** Resolves after all pending microtasks have run. Optional: not every platform supports it. */
  afterMicrotasks?(): Promise<void>;
  /**
   * Resolves in a later turn of the event loop, after timers and input were handled. Optional: without it, work that
   * never waits delays timers and input.
   */
  eventLoopTurn?(): Promise<void>;
  readonly logger: Logger;
  readonly tracer: Tracer;
}

/**
 * Receives log lines. Fields are ids, names, codes, counts and errors (`errorFields`), never message text, arguments
 * or state values.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Ids, names, codes and counts of a log line. */
export type LogFields = { readonly [key: string]: unknown };

/** Starts spans. Others implement this interface, so it only ever gains optional members. */
export interface Tracer {
  /** True if the tracer records nothing. Callers can then skip spans and their attributes. */
  readonly isSilent?: boolean | undefined;
  /**
   * True if spans may contain content: message texts, model requests and answers, tool arguments and results, and
   * messages of foreign errors. Otherwise spans contain names, ids, codes and counts.
   */
  readonly capturesContent?: boolean | undefined;
  /**
   * Names of the content of models and tools: `adk` for the names that ADK's web UI reads, `gen_ai` for the
   * names of OpenTelemetry's conventions. Default: both.
   */
  readonly contentNames?: 'adk' | 'gen_ai' | undefined;
  /** Starts a span. Without a parent, the tracer decides: it starts a new trace, or a child of the active span. */
  start(name: string, attributes?: SpanAttributes, parent?: Span, options?: SpanOptions): Span;
  /**
   * Records a value of a histogram of OpenTelemetry's conventions, such as `mcp.client.operation.duration`, in the unit
   * of the conventions. `span` is the span in which it was measured. A tracer ignores names that it does not know.
   */
  measure?(name: string, value: number, attributes?: SpanAttributes, span?: Span): void;
}

/** Options of a span. */
export interface SpanOptions {
  /**
   * `client` for a request to another process, and `server` for the work on such a request. The parent of a `server`
   * span is the span of the client, which another process has recorded. Default: work in this process.
   */
  readonly kind?: 'client' | 'server' | undefined;
}

/** A span of a trace, open until `end`. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** True if the span is not recorded, for example because it was not sampled. */
  readonly isSilent?: boolean | undefined;
  /** False if the span drops content, for example because it only measures. Default: `capturesContent` of the tracer. */
  readonly takesContent?: boolean | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span. With an error, the span is marked as failed. */
  end(error?: unknown): void;
  /** Called for each piece of a streamed answer when it arrives. */
  chunk?(): void;
  /** Calls `work` with this span as the active one, if the tracer supports that. */
  run?<T>(work: () => T): T;
}

/** Attributes of a span: names, ids and counts, and content if the tracer captures it. */
export type SpanAttributes = { readonly [key: string]: Json | undefined };
