import { silentTracer } from '@thole/core';
import { assertSeconds, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { CancelTimer, LogFields, Logger, Runtime, Tracer } from '@thole/core';

/** Options of `FixedRuntime`. All are optional. */
export interface FixedRuntimeOptions {
  /** Start of the clock, in seconds since the epoch. Default: 1,700,000,000. */
  now?: number | undefined;
  /** Seed of the random numbers. Default: 1. */
  seed?: number | undefined;
  /** Default: a tracer that records nothing. */
  tracer?: Tracer | undefined;
}

const names = optionNames<FixedRuntimeOptions>({ now: true, seed: true, tracer: true });

/** One log line of a fixed runtime. */
export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: LogFields | undefined;
}

/**
 * A runtime that the test controls: only `advance` moves the clock, ids count up (`event-1`, `event-2` …), a seed
 * determines the random numbers, and `logs` contains the log lines.
 */
export class FixedRuntime implements Runtime {
  /** All log lines, in order. */
  readonly logs: LogLine[] = [];
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly #start: number;
  readonly #counts = new Map<string, number>();
  readonly #waits = new Set<Wait>();
  #elapsed = 0;
  #random: number;

  constructor(options: FixedRuntimeOptions = {}) {
    rejectUnknownOptions(options, names, 'FixedRuntime');
    this.#start = options.now ?? 1_700_000_000;
    assertSeconds('now of FixedRuntime', this.#start);
    this.#random = options.seed ?? 1;
    this.tracer = options.tracer ?? silentTracer;
    const log = (level: LogLine['level']) => (message: string, fields?: LogFields) => {
      this.logs.push({ level, message, fields });
    };
    this.logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  }

  now(): number {
    return this.#start + this.#elapsed / 1000;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  newId(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `${kind}-${count}`;
  }

  random(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#random ^ (this.#random >>> 15), this.#random | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      const cancel = this.timer(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  timer(ms: number, fn: () => void): CancelTimer {
    if (ms === Infinity) return () => {};
    const wait = { at: this.#elapsed + Math.max(0, ms), fn };
    this.#waits.add(wait);
    return () => void this.#waits.delete(wait);
  }

  /** Number of timers and sleeps that wait for the clock. */
  get pending(): number {
    return this.#waits.size;
  }

  /**
   * Moves the clock by `ms` milliseconds, fires due timers in order, and lets promises settle before, between and
   * after them. Timers that are added meanwhile and become due fire too. `advance(0)` only lets promises settle and
   * fires due timers.
   */
  async advance(ms: number): Promise<void> {
    if (!(Number.isFinite(ms) && ms >= 0))
      throw invalidInput('ms of advance', 'a finite number of milliseconds ≥ 0', ms);
    const end = this.#elapsed + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#waits.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.fn();
      await settle();
    }
    this.#elapsed = Math.max(this.#elapsed, end);
  }

  // A set keeps the order of insertion, so that the older of two timers with the same time comes first.
  #next(end: number): Wait | undefined {
    let first: Wait | undefined;
    for (const wait of this.#waits) if (wait.at <= end && (!first || wait.at < first.at)) first = wait;
    return first;
  }
}

interface Wait {
  at: number;
  fn(): void;
}

// The function of the process: a test library with fake timers replaces the global one by one that never calls back.
const realImmediate = setImmediate;

// All pending promise callbacks run before an immediate.
function settle(): Promise<void> {
  return new Promise((resolve) => {
    realImmediate(resolve);
  });
}
