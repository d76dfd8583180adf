import { sessionKeyOf, timerAt } from '@thole/core/kit';
import type { CancelTimer, Runtime, SessionRef, UserRef } from '@thole/core';
import type { RunRequest } from '../invocation/run-request.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { RecoveredInvocation } from './recover.ts';

/** The part of a paused run's request that the resumed run needs. */
export type PausedContext = Pick<RunRequest, 'deps' | 'runConfig'>;

/** The timers of one session, by invocation. */
interface SessionTimers {
  readonly ref: SessionRef;
  readonly timers: Map<string, CancelTimer>;
}

/** Resumes invocations that this process has paused when one of their timers is due or one of their interrupts expires. */
export class WakeTimers {
  readonly #runtime: Runtime;
  readonly #wake: (invocation: RecoveredInvocation, context: PausedContext) => void;
  readonly #sessions = new Map<string, SessionTimers>();

  /** `wake` resumes a paused invocation. */
  constructor(runtime: Runtime, wake: (invocation: RecoveredInvocation, context: PausedContext) => void) {
    this.#runtime = runtime;
    this.#wake = wake;
  }

  /** Called when a run has ended and released its lease. */
  afterRun(task: RunTask): void {
    if (!task.opened || !task.isResumable || !task.lease) return;
    const { invocationId, ref, request } = task;
    const isPaused = task.state.outcome?.status === 'paused';
    if (!isPaused && this.#sessions.size === 0) return;
    const key = sessionKeyOf(ref);
    this.#cancelEnded(key, task);
    if (!isPaused) return;
    const due = dueTime(task);
    // A skipped invocation that is due would be skipped again at once. The next `recover` continues it.
    if (due === Infinity || (task.isSkipped && due <= this.#runtime.now())) return;
    const session = this.#sessions.get(key) ?? { ref, timers: new Map() };
    this.#sessions.set(key, session);
    // A timer may wait for weeks, so it must not keep the task and the session in memory.
    const { deps, runConfig } = request;
    const cancel = timerAt(this.#runtime, due, () => {
      this.#cancel(key, session, invocationId);
      this.#wake({ ref, invocationId }, { deps, runConfig });
    });
    session.timers.set(invocationId, cancel);
  }

  /** Cancels the timers of a deleted session. */
  forget(ref: SessionRef): void {
    const session = this.#sessions.get(sessionKeyOf(ref));
    if (session) this.#cancelAll(session);
    this.#sessions.delete(sessionKeyOf(ref));
  }

  /** Cancels the timers of a deleted user. */
  forgetUser(user: UserRef): void {
    for (const { ref } of this.#sessions.values())
      if (ref.appName === user.appName && ref.userId === user.userId) this.forget(ref);
  }

  close(): void {
    for (const session of this.#sessions.values()) this.#cancelAll(session);
    this.#sessions.clear();
  }

  /** Cancels the timers of invocations without an open interrupt: another run has continued, cancelled or removed them. */
  #cancelEnded(key: string, { interrupts, invocationId }: RunTask): void {
    const session = this.#sessions.get(key);
    if (!session) return;
    const open = new Set(Array.from(interrupts.open, ({ interrupt }) => interrupt.invocationId));
    for (const each of session.timers.keys())
      if (each === invocationId || !open.has(each)) this.#cancel(key, session, each);
  }

  #cancel(key: string, { timers }: SessionTimers, invocationId: string): void {
    timers.get(invocationId)?.();
    timers.delete(invocationId);
    if (timers.size === 0) this.#sessions.delete(key);
  }

  #cancelAll({ timers }: SessionTimers): void {
    for (const cancel of timers.values()) cancel();
  }
}

/** Returns the earliest time at which an open interrupt of the invocation is due, in seconds. */
function dueTime({ interrupts, invocationId }: RunTask): number {
  const open = interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen);
  return open.reduce((first, { interrupt }) => Math.min(first, interrupt.expiresAt ?? Infinity), Infinity);
}
