import { TholeError } from '@thole/core';
import { errorFields, sessionKeyOf, waitAtMost } from '@thole/core/kit';
import type { CompactionOptions, Runtime, SessionRef, SessionService, Summarizer } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import type { RunInit } from '../runner/runner-deps.ts';
import type { SessionLeases } from '../session/lease.ts';
import { sessionNotFound } from '../session/session-cache.ts';
import { compactSession } from './compact-session.ts';
import type { CompactionResult } from './compaction-record.ts';
import { mayBeDue } from './plan-compaction.ts';

/** Arguments of `Compactor`. */
export interface CompactorInit {
  readonly options: CompactionOptions;
  readonly service: SessionService;
  readonly leases: SessionLeases;
  /** Returns the summarizer of the options, or one with the model of the root agent. */
  readonly summarizer: () => Summarizer;
  /** Returns the arguments of the task that stores a record. */
  readonly initOf: (ref: RunTask['ref']) => RunInit;
}

/** Summarizes sessions in the background after their runs: one job per session at a time. Failures are only logged. */
export class Compactor {
  readonly #init: CompactorInit;
  readonly #jobs = new Map<string, Promise<void>>();
  readonly #closed: AbortController = new AbortController();
  #isClosing: boolean = false;

  constructor(init: CompactorInit) {
    this.#init = init;
  }

  /** Called when a run has ended and released its lease. Starts a job if a rule may apply. */
  afterRun(task: RunTask): void {
    const { opened, ref, sessionAccess } = task;
    const { options, service } = this.#init;
    // A session in memory belongs to one run and is not compacted.
    if (this.#isClosing || !opened?.isRecorded || sessionAccess.service !== service) return;
    const key = sessionKeyOf(ref);
    if (this.#jobs.has(key) || !mayBeDue(opened.session.log, options)) return;
    // Copies the events, because a later run adds events to the same log.
    const { incarnation, lastSeq, log, unfinished } = opened.session;
    const session = { incarnation, lastSeq, events: [...log], unfinished };
    const job = this.#run(task, session).finally(() => this.#jobs.delete(key));
    this.#jobs.set(key, job);
  }

  /** Waits for the active jobs, and aborts them after `limitMs`. No more jobs start. */
  async close(runtime: Runtime, limitMs: number): Promise<void> {
    this.#isClosing = true;
    if (!this.isBusy) return;
    await waitAtMost(runtime, limitMs, this.idle());
    if (this.isBusy) this.#closed.abort('The runner was closed.');
    await this.idle();
  }

  /**
   * Summarizes a session now, whether or not a rule is due. Throws `SESSION_NOT_FOUND`, and `COMPACTION_FAILED` if the
   * summarizer fails.
   */
  async compact(ref: SessionRef, dryRun: boolean): Promise<CompactionResult[]> {
    const { initOf, leases, options, service, summarizer } = this.#init;
    await this.#jobs.get(sessionKeyOf(ref));
    const session = await service.getSession(ref);
    if (!session) throw sessionNotFound(ref);
    // Reads the lease after the events: an invocation that ended in between may be covered.
    const running = await leases.currentInvocation(ref);
    const { signal } = this.#closed;
    const all = { options, summarizer: summarizer(), isForced: true, dryRun, running, signal };
    return compactSession(initOf(ref), { ...session, unfinished: session.marks?.unfinished }, all);
  }

  /** True if a job is active. */
  get isBusy(): boolean {
    return this.#jobs.size > 0;
  }

  /** Resolves when no job is active. */
  async idle(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#jobs.values());
  }

  async #run({ ref, runner }: RunTask, session: Parameters<typeof compactSession>[1]): Promise<void> {
    const { initOf, options, summarizer } = this.#init;
    const { signal } = this.#closed;
    try {
      await compactSession(initOf(ref), session, {
        options,
        summarizer: summarizer(),
        isForced: false,
        dryRun: false,
        signal,
      });
    } catch (error) {
      const { appName, userId, sessionId } = ref;
      const code = TholeError.is(error) ? error.code : undefined;
      runner.runtime.logger.warn('A session was not compacted.', {
        ...{ appName, userId, sessionId, code },
        ...errorFields(error),
      });
    }
  }
}
