import type { CancelTimer, Runtime } from '@thole/core';
import type { RecordedRun } from './recording.ts';

/**
 * Forwards all calls to another runtime, and records ids and random numbers. The clock advances only with ids, calls, timers
 * and sleeps, so that a replay can return the same times.
 */
export class RecordingRuntime implements Runtime {
  readonly logger: Runtime['logger'];
  readonly tracer: Runtime['tracer'];
  readonly afterMicrotasks?: () => Promise<void>;
  readonly eventLoopTurn?: () => Promise<void>;
  readonly #base: Runtime;
  #run: Pick<RecordedRun, 'ids' | 'random'> | undefined;
  #now: number;

  constructor(base: Runtime) {
    this.#base = base;
    this.logger = base.logger;
    this.tracer = base.tracer;
    if (base.afterMicrotasks) this.afterMicrotasks = () => base.afterMicrotasks!();
    if (base.eventLoopTurn) this.eventLoopTurn = () => base.eventLoopTurn!();
    this.#now = base.now();
  }

  /** Records into this run from now on. */
  recordInto(run: Pick<RecordedRun, 'ids' | 'random'>): void {
    this.#run = run;
  }

  /** Sets the clock to the current time. */
  tick(): void {
    this.#now = this.#base.now();
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  newId(kind: string): string {
    this.tick();
    const id = this.#base.newId(kind);
    this.#run?.ids.push([kind, id, this.#now]);
    return id;
  }

  random(): number {
    const number = this.#base.random();
    this.#run?.random.push(number);
    return number;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#base.sleep(ms, signal);
    this.tick();
  }

  timer(ms: number, fn: () => void, options?: { keepAlive?: boolean | undefined }): CancelTimer {
    const work = (): void => {
      this.tick();
      fn();
    };
    return this.#base.timer(ms, work, options);
  }
}
