import { sessionKeyOf } from '@thole/core/kit';
import type { CancelTimer, Runtime } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';

/** Wakes invocations that this process has paused when a timer or an interrupt of theirs is due. */
export class WakeTimers {
  readonly #runtime: Runtime;
  readonly #wake: (task: RunTask) => void;
  readonly #timers = new Map<string, CancelTimer>();

  /** `wake` resumes the invocation of this run. */
  constructor(runtime: Runtime, wake: (task: RunTask) => void) {
    this.#runtime = runtime;
    this.#wake = wake;
  }

  /** Called when a run has ended and released its lease. */
  afterRun(task: RunTask): void {
    if (!task.opened || !task.isResumable || !task.lease) return;
    const isPaused = task.state.outcome?.status === 'paused';
    if (!isPaused && this.#timers.size === 0) return;
    const key = `${sessionKeyOf(task.ref)} ${task.invocationId}`;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (!isPaused) return;
    const due = dueTime(task);
    if (due === Infinity) return;
    const ms = Math.max(0, (due - this.#runtime.now()) * 1_000);
    const cancel = this.#runtime.timer(ms, () => {
      this.#timers.delete(key);
      this.#wake(task);
    });
    this.#timers.set(key, cancel);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}

/** Returns the earliest time at which an open interrupt of the invocation is due, in seconds. */
function dueTime({ interrupts, invocationId }: RunTask): number {
  const open = interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen);
  return open.reduce((first, { interrupt }) => Math.min(first, interrupt.expiresAt ?? Infinity), Infinity);
}
