import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, assertSessionRef, inProcessLeases, raceAbort, sessionKeyOf } from '@thole/core/kit';
import type { CallOptions, CancelTimer, InvocationContext, Plugin, Runtime, SessionRef } from '@thole/core';
import { callOnError } from '../call-on-error.ts';
import { errorCodeOf } from '../error-code.ts';
import { consolidateSession, isConsolidated } from './consolidate-session.ts';
import type { ConsolidationContext, ConsolidationOutcome } from './consolidate-session.ts';
import { assertConsolidatorOptions } from './consolidator-options.ts';
import type { IdleConsolidatorOptions } from './consolidator-options.ts';
import { listUnconsolidatedSessions } from './list-unconsolidated-sessions.ts';

/** The result of a sweep. */
export interface SweepReport {
  /** Number of sessions that were added to memory. */
  consolidated: number;
  /** Number of sessions that failed and are retried automatically. */
  failed: number;
  /** Number of sessions that have not been idle for long enough and are scheduled. */
  scheduled: number;
}

/** A consolidation that has not ended. */
interface RunningConsolidation {
  outcome: Promise<ConsolidationOutcome>;
  /** The signal of the call that has started it. It ends when this signal is aborted. */
  signal: AbortSignal | undefined;
}

/** Tolerance for rounding errors of clocks. */
const CLOCK_TOLERANCE_MS = 5;

/**
 * Adds idle sessions to memory and then deletes them. As a plugin it schedules a session at the end of each of its runs. It never delays
 * a run, and its timers do not keep the process alive. When the process stops, no session is consolidated: call `sweep` at the next start.
 */
export class IdleConsolidator implements Plugin {
  readonly name = 'idle_consolidator';
  readonly enabled: boolean;
  readonly #options: IdleConsolidatorOptions;
  readonly #context: ConsolidationContext;
  readonly #runtime: Runtime;
  readonly #idleMs: number;
  readonly #stop = new AbortController();
  readonly #timers = new Map<string, CancelTimer>();
  readonly #running = new Map<string, RunningConsolidation>();

  constructor(options: IdleConsolidatorOptions) {
    assertConsolidatorOptions(options);
    const { sessions, memory, enabled = true, keep = false, idleMs = 30 * 60_000, runtime = systemRuntime() } = options;
    assertCount('concurrency', options.concurrency ?? 2, 1);
    assertCount('maxAttempts', options.maxAttempts ?? 5, 1);
    this.enabled = enabled;
    this.#options = options;
    this.#runtime = runtime;
    this.#idleMs = idleMs;
    this.#context = {
      sessions,
      memory,
      keep,
      artifacts: options.artifacts,
      leaseTtlMs: options.leaseTtlMs,
      runtime,
      leasing: sessions.leasing ?? inProcessLeases(runtime),
      holder: runtime.newId('consolidator'),
      signal: this.#stop.signal,
    };
  }

  /** Schedules the session of a run that has ended. Called by the runner. */
  afterRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    const { appName, userId, sessionId } = invocationContext;
    this.schedule({ appName, userId, sessionId });
  }

  /** Consolidates a session after `idleMs` from now, instead of an earlier schedule. Does nothing if not `enabled` or closed. */
  schedule(ref: SessionRef): void {
    assertSessionRef(ref);
    this.#scheduleIn({ appName: ref.appName, userId: ref.userId, sessionId: ref.sessionId }, this.#idleMs, 1);
  }

  /** Cancels the schedule of a session, until the next run, sweep or call. */
  cancel(ref: SessionRef): void {
    assertSessionRef(ref);
    this.#cancelTimer(sessionKeyOf(ref));
  }

  /**
   * Consolidates a session immediately, even if it is not idle or the consolidator not `enabled`. Throws errors of the services, and the
   * reason of an aborted signal. After an abort the session is not deleted, and a scheduled session is scheduled again.
   */
  async consolidate(ref: SessionRef & CallOptions): Promise<ConsolidationOutcome> {
    assertSessionRef(ref);
    if (this.#stop.signal.aborted) throw closedError();
    const key = { appName: ref.appName, userId: ref.userId, sessionId: ref.sessionId };
    const isScheduled = this.#timers.has(sessionKeyOf(key));
    this.#cancelTimer(sessionKeyOf(key));
    try {
      return await this.#work(key, ref.signal);
    } catch (error) {
      if (isScheduled && ref.signal?.aborted) this.#scheduleUnlessScheduled(key, this.#idleMs);
      throw error;
    }
  }

  /**
   * Consolidates the idle sessions of an app, or of one of its users, and schedules the others. Call it when the process starts.
   * Several processes may call it at the same time.
   */
  async sweep(p: { appName: string; userId?: string | undefined }): Promise<SweepReport> {
    const report: SweepReport = { consolidated: 0, failed: 0, scheduled: 0 };
    if (!this.enabled) return report;
    const idle: SessionRef[] = [];
    for (const { ref, lastUpdateTime } of await listUnconsolidatedSessions(this.#context.sessions, p)) {
      const idleInMs = this.#idleInMs(lastUpdateTime);
      if (idleInMs <= CLOCK_TOLERANCE_MS) idle.push(ref);
      else if (this.#scheduleIn(ref, idleInMs, 1)) report.scheduled++;
    }
    const work = async (): Promise<void> => {
      for (let ref = idle.shift(); ref && !this.#stop.signal.aborted; ref = idle.shift()) {
        const outcome = await this.#attempt(ref, 1);
        if (outcome === 'deleted' || outcome === 'kept') report.consolidated++;
        if (outcome === 'failed') report.failed++;
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 2 }, work));
    return report;
  }

  /** Resolves when no consolidation is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values().map(({ outcome }) => outcome));
  }

  /** Cancels all schedules and stops running consolidations. The sessions stay stored, for the next `sweep`. */
  async close(): Promise<void> {
    for (const key of this.#timers.keys()) this.#cancelTimer(key);
    this.#stop.abort(closedError());
    await this.idle();
  }

  #scheduleIn(ref: SessionRef, ms: number, attempt: number): boolean {
    const key = sessionKeyOf(ref);
    this.#cancelTimer(key);
    if (!this.enabled || this.#stop.signal.aborted) return false;
    const wake = (): void => {
      this.#timers.delete(key);
      void this.#wake(ref, attempt);
    };
    this.#timers.set(key, this.#runtime.timer(ms, wake));
    return true;
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  /** Consolidates a scheduled session, or schedules it again if another process has run it meanwhile. */
  async #wake(ref: SessionRef, attempt: number): Promise<void> {
    try {
      const session = await this.#context.sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!session || isConsolidated(session)) return;
      const idleInMs = this.#idleInMs(session.lastUpdateTime);
      if (idleInMs > CLOCK_TOLERANCE_MS) this.#scheduleUnlessScheduled(ref, idleInMs);
      else await this.#attempt(ref, attempt);
    } catch (error) {
      this.#handleFailure(ref, error, attempt);
    }
  }

  async #attempt(ref: SessionRef, attempt: number): Promise<ConsolidationOutcome | 'failed'> {
    try {
      const outcome = await this.#work(ref);
      if (outcome === 'active') this.#scheduleUnlessScheduled(ref, this.#idleMs);
      return outcome;
    } catch (error) {
      this.#handleFailure(ref, error, attempt);
      return 'failed';
    }
  }

  /** Schedules a session unless a run has scheduled it meanwhile. */
  #scheduleUnlessScheduled(ref: SessionRef, ms: number): void {
    if (!this.#timers.has(sessionKeyOf(ref))) this.#scheduleIn(ref, ms, 1);
  }

  /** Starts a consolidation of the session, or waits for the running one. */
  async #work(ref: SessionRef, signal?: AbortSignal): Promise<ConsolidationOutcome> {
    const key = sessionKeyOf(ref);
    for (let other = this.#running.get(key); other; other = this.#running.get(key)) {
      try {
        return await raceAbort(other.outcome, signal);
      } catch (error) {
        // If another caller has aborted its call, this call starts again.
        if (!other.signal?.aborted) throw error;
      }
    }
    const stop = this.#stop.signal;
    const context = { ...this.#context, signal: signal ? AbortSignal.any([stop, signal]) : stop };
    context.signal.throwIfAborted();
    const outcome = consolidateSession(ref, context).finally(() => this.#running.delete(key));
    this.#running.set(key, { outcome, signal });
    return outcome;
  }

  #handleFailure(session: SessionRef, error: unknown, attempt: number): void {
    if (this.#stop.signal.aborted) return;
    const { maxAttempts = 5, retryMs = 5_000, onError } = this.#options;
    const isScheduled = this.#timers.has(sessionKeyOf(session));
    const wait = retryMs * 2 ** (attempt - 1) * (0.5 + this.#runtime.random());
    const retryInMs = attempt < maxAttempts && !isScheduled ? wait : undefined;
    if (retryInMs !== undefined && !this.#scheduleIn(session, retryInMs, attempt + 1)) return;
    const { logger } = this.#runtime;
    const { appName, sessionId } = session;
    const fields = { appName, sessionId, code: errorCodeOf(error), attempt, retryInMs };
    logger.warn('A session could not be consolidated.', fields);
    callOnError('IdleConsolidator', () => onError?.({ session, error, attempt, retryInMs }), logger);
  }

  /** Returns the time in milliseconds until the session has been idle for `idleMs`. */
  #idleInMs(lastUpdateTime: number): number {
    return this.#idleMs - (this.#runtime.now() - lastUpdateTime) * 1000;
  }
}

function closedError(): TholeError {
  return new TholeError('RUN_ABORTED', 'The consolidator was closed.');
}
