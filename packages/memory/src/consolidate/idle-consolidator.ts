import { systemRuntime, TholeError } from '@thole/core';
import { assertSessionRef, errorCodeOf, inProcessLeases, raceAbort, sessionKeyOf } from '@thole/core/kit';
import type { CallOptions, CancelTimer, InvocationContext, Plugin, Runtime, SessionRef } from '@thole/core';
import { callOnError } from '../call-on-error.ts';
import { consolidateSession, isConsolidated, markOf } from './consolidate-session.ts';
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

/** A session whose consolidation is due later. */
interface ScheduledSession {
  readonly ref: SessionRef;
  /** Number of the next attempt, from 1. */
  readonly attempt: number;
  /** `markOf` the session and its last event when it was scheduled. Undefined if the session was not read. */
  readonly mark?: string | undefined;
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
    const key = { appName: ref.appName, userId: ref.userId, sessionId: ref.sessionId };
    this.#scheduleIn(this.#idleMs, { ref: key, attempt: 1 });
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
      if (isScheduled && ref.signal?.aborted) this.#scheduleUnlessScheduled(this.#idleMs, { ref: key, attempt: 1 });
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
    const idle: ScheduledSession[] = [];
    for (const { ref, mark, lastUpdateTime } of await listUnconsolidatedSessions(this.#context.sessions, p)) {
      const session = { ref, attempt: 1, mark };
      const idleInMs = this.#idleInMs(lastUpdateTime);
      if (idleInMs <= CLOCK_TOLERANCE_MS) idle.push(session);
      else if (this.#scheduleIn(idleInMs, session)) report.scheduled++;
    }
    const work = async (): Promise<void> => {
      for (let next = idle.shift(); next && !this.#stop.signal.aborted; next = idle.shift()) {
        const outcome = await this.#attempt(next);
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

  #scheduleIn(ms: number, scheduled: ScheduledSession): boolean {
    const key = sessionKeyOf(scheduled.ref);
    this.#cancelTimer(key);
    if (!this.enabled || this.#stop.signal.aborted) return false;
    const wake = (): void => {
      this.#timers.delete(key);
      void this.#wake(scheduled);
    };
    this.#timers.set(key, this.#runtime.timer(ms, wake));
    return true;
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  /** Consolidates a scheduled session, or schedules it again if another process has run it meanwhile. */
  async #wake(scheduled: ScheduledSession): Promise<void> {
    const { ref, attempt } = scheduled;
    try {
      const session = await this.#context.sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!session || isConsolidated(session)) return;
      const mark = markOf(session, session.lastSeq);
      const idleInMs = mark === scheduled.mark ? 0 : this.#idleInMs(session.lastUpdateTime);
      if (idleInMs > CLOCK_TOLERANCE_MS) this.#scheduleUnlessScheduled(idleInMs, { ref, attempt: 1, mark });
      else await this.#attempt({ ref, attempt, mark });
    } catch (error) {
      this.#handleFailure(scheduled, error);
    }
  }

  async #attempt(scheduled: ScheduledSession): Promise<ConsolidationOutcome | 'failed'> {
    const { ref } = scheduled;
    try {
      const outcome = await this.#work(ref);
      if (outcome === 'active') this.#scheduleUnlessScheduled(this.#idleMs, { ref, attempt: 1 });
      return outcome;
    } catch (error) {
      this.#handleFailure(scheduled, error);
      return 'failed';
    }
  }

  /** Schedules a session unless a run has scheduled it meanwhile. */
  #scheduleUnlessScheduled(ms: number, scheduled: ScheduledSession): void {
    if (!this.#timers.has(sessionKeyOf(scheduled.ref))) this.#scheduleIn(ms, scheduled);
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

  #handleFailure(scheduled: ScheduledSession, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { ref: session, attempt } = scheduled;
    const { maxAttempts = 5, retryMs = 5_000, onError } = this.#options;
    const isScheduled = this.#timers.has(sessionKeyOf(session));
    const wait = retryMs * 2 ** (attempt - 1) * (0.5 + this.#runtime.random());
    const retryInMs = attempt < maxAttempts && !isScheduled ? wait : undefined;
    if (retryInMs !== undefined && !this.#scheduleIn(retryInMs, { ...scheduled, attempt: attempt + 1 })) return;
    const { logger } = this.#runtime;
    const { appName, sessionId } = session;
    const fields = { appName, sessionId, code: errorCodeOf(error), attempt, retryInMs };
    logger.warn('A session could not be consolidated.', fields);
    callOnError('IdleConsolidator', () => onError?.({ session, error, attempt, retryInMs }), logger);
  }

  /**
   * Returns the time in milliseconds until the session has been idle for `idleMs`. It is at most `idleMs`: a time in the future comes
   * from a clock that was ahead.
   */
  #idleInMs(lastUpdateTime: number): number {
    return Math.min(this.#idleMs, this.#idleMs - (this.#runtime.now() - lastUpdateTime) * 1000);
  }
}

function closedError(): TholeError {
  return new TholeError('RUN_ABORTED', 'The consolidator was closed.');
}
