import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, assertSessionRef, inProcessLeases, raceAbort, sessionKeyOf } from '@thole/core/kit';
import type { CallOptions, CancelTimer, InvocationContext, Plugin, Runtime, SessionRef } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { consolidateSession, isConsolidated } from './consolidate-session.ts';
import type { ConsolidationContext, ConsolidationOutcome } from './consolidate-session.ts';
import { assertConsolidatorOptions } from './consolidator-options.ts';
import type { IdleConsolidatorOptions } from './consolidator-options.ts';
import { unconsolidatedSessions } from './unconsolidated-sessions.ts';

/** What a sweep found. */
export interface SweepReport {
  /** How many quiet sessions went into memory. */
  consolidated: number;
  /** How many failed; they are tried again by themselves. */
  failed: number;
  /** How many are not quiet for long enough yet, and will be consolidated when they are. */
  scheduled: number;
}

/** Clocks that count in floating point are not exact. */
const CLOCK_TOLERANCE_MS = 5;

/**
 * Puts sessions into memory once they have gone quiet, and then deletes them. A plugin: each run's end arms it anew for that
 * session. Nothing it does is in a turn's way, and its timers do not hold the process; stopping consolidates nothing, `sweep` at the next start does.
 */
export class IdleConsolidator implements Plugin {
  readonly name = 'idle_consolidator';
  readonly enabled: boolean;
  readonly #options: IdleConsolidatorOptions;
  readonly #consolidating: ConsolidationContext;
  readonly #runtime: Runtime;
  readonly #idleMs: number;
  readonly #stop = new AbortController();
  readonly #timers = new Map<string, CancelTimer>();
  readonly #working = new Map<string, Promise<ConsolidationOutcome>>();

  constructor(options: IdleConsolidatorOptions) {
    assertConsolidatorOptions(options);
    const { sessions, memory, enabled = true, keep = false, idleMs = 30 * 60_000, runtime = systemRuntime() } = options;
    assertCount('concurrency', options.concurrency ?? 2, 1);
    assertCount('maxAttempts', options.maxAttempts ?? 5, 1);
    this.enabled = enabled;
    this.#options = options;
    this.#runtime = runtime;
    this.#idleMs = idleMs;
    this.#consolidating = {
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

  /** Every run's end arms the consolidator for its session; part of being a plugin. */
  afterRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    const { appName, userId, sessionId } = invocationContext;
    this.schedule({ appName, userId, sessionId });
  }

  /** From now on the session has to be quiet for `idleMs`. Does nothing when it is not `enabled` or closed. */
  schedule(ref: SessionRef): void {
    assertSessionRef(ref);
    this.#armFor({ appName: ref.appName, userId: ref.userId, sessionId: ref.sessionId }, this.#idleMs, 1);
  }

  /** The session is not consolidated before the next turn, sweep or call. */
  cancel(ref: SessionRef): void {
    assertSessionRef(ref);
    this.#cancel(sessionKeyOf(ref));
  }

  /** Consolidates a session now, quiet or not, `enabled` or not, and says what became of it. Throws what went wrong. */
  consolidate(ref: SessionRef & CallOptions): Promise<ConsolidationOutcome> {
    assertSessionRef(ref);
    if (this.#stop.signal.aborted) throw closed();
    const key = { appName: ref.appName, userId: ref.userId, sessionId: ref.sessionId };
    this.#cancel(sessionKeyOf(key));
    return raceAbort(this.#work(key), ref.signal);
  }

  /**
   * Consolidates the sessions of an app (or of one of its users) that went quiet while nothing ran, and arms for those that
   * are not quiet for long enough yet. For the start of a process; several may do it at once.
   */
  async sweep(p: { appName: string; userId?: string | undefined }): Promise<SweepReport> {
    const report: SweepReport = { consolidated: 0, failed: 0, scheduled: 0 };
    if (!this.enabled) return report;
    const quiet: SessionRef[] = [];
    for (const { ref, lastUpdateTime } of await unconsolidatedSessions(this.#consolidating.sessions, p)) {
      const quietInMs = this.#quietInMs(lastUpdateTime);
      if (quietInMs <= CLOCK_TOLERANCE_MS) quiet.push(ref);
      else if (this.#armFor(ref, quietInMs, 1)) report.scheduled++;
    }
    const next = async (): Promise<void> => {
      for (let ref = quiet.shift(); ref && !this.#stop.signal.aborted; ref = quiet.shift()) {
        const outcome = await this.#attempt(ref, 1);
        if (outcome === 'deleted' || outcome === 'kept') report.consolidated++;
        if (outcome === 'failed') report.failed++;
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 2 }, next));
    return report;
  }

  /** Resolves when no consolidation is under way. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working.values());
  }

  /** Consolidates nothing more: what is under way stops where it is, and loses nothing. */
  async close(): Promise<void> {
    for (const key of this.#timers.keys()) this.#cancel(key);
    this.#stop.abort(closed());
    await this.idle();
  }

  #armFor(ref: SessionRef, ms: number, attempt: number): boolean {
    const key = sessionKeyOf(ref);
    this.#cancel(key);
    if (!this.enabled || this.#stop.signal.aborted) return false;
    const wake = (): void => {
      this.#timers.delete(key);
      void this.#wake(ref, attempt);
    };
    this.#timers.set(key, this.#runtime.timer(ms, wake));
    return true;
  }

  #cancel(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  // Another process may have had a turn meanwhile.
  async #wake(ref: SessionRef, attempt: number): Promise<void> {
    try {
      const session = await this.#consolidating.sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!session || isConsolidated(session)) return;
      const quietInMs = this.#quietInMs(session.lastUpdateTime);
      if (quietInMs > CLOCK_TOLERANCE_MS) this.#armAnew(ref, quietInMs);
      else await this.#attempt(ref, attempt);
    } catch (error) {
      this.#failed(ref, error, attempt);
    }
  }

  async #attempt(ref: SessionRef, attempt: number): Promise<ConsolidationOutcome | 'failed'> {
    try {
      const outcome = await this.#work(ref);
      if (outcome === 'spoken') this.#armAnew(ref, this.#idleMs);
      return outcome;
    } catch (error) {
      this.#failed(ref, error, attempt);
      return 'failed';
    }
  }

  /** Unless a turn has armed it already. */
  #armAnew(ref: SessionRef, ms: number): void {
    if (!this.#timers.has(sessionKeyOf(ref))) this.#armFor(ref, ms, 1);
  }

  #work(ref: SessionRef): Promise<ConsolidationOutcome> {
    const key = sessionKeyOf(ref);
    let working = this.#working.get(key);
    if (!working) {
      working = consolidateSession(ref, this.#consolidating).finally(() => this.#working.delete(key));
      this.#working.set(key, working);
    }
    return working;
  }

  #failed(session: SessionRef, error: unknown, attempt: number): void {
    if (this.#stop.signal.aborted) return;
    const { maxAttempts = 5, retryMs = 5_000, onError } = this.#options;
    const isArmed = this.#timers.has(sessionKeyOf(session));
    const wait = retryMs * 2 ** (attempt - 1) * (0.5 + this.#runtime.random());
    const retryInMs = attempt < maxAttempts && !isArmed ? wait : undefined;
    if (retryInMs !== undefined && !this.#armFor(session, retryInMs, attempt + 1)) return;
    const { logger } = this.#runtime;
    const { appName, sessionId } = session;
    logger.warn('A session could not be consolidated.', {
      appName,
      sessionId,
      code: errorCodeOf(error),
      attempt,
      retryInMs,
    });
    try {
      onError?.({ session, error, attempt, retryInMs });
    } catch (thrown) {
      logger.error('onError of IdleConsolidator failed.', { code: errorCodeOf(thrown) });
    }
  }

  #quietInMs(lastUpdateTime: number): number {
    return this.#idleMs - (this.#runtime.now() - lastUpdateTime) * 1000;
  }
}

function closed(): TholeError {
  return new TholeError('RUN_ABORTED', 'The consolidator was closed.');
}
