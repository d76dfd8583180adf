import type { CancelTimer, Runtime } from '@thole/core';
import { timerAt } from '@thole/core/kit';

/** Timers of a conversation, one for each key. They end with the conversation. */
export class ConversationTimers {
  readonly #runtime: Runtime;
  readonly #signal: AbortSignal;
  readonly #timers = new Map<string, CancelTimer>();

  constructor(runtime: Runtime, signal: AbortSignal) {
    this.#runtime = runtime;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#timers.forEach((cancel) => cancel()), { once: true });
  }

  /** Calls `work` at a time, in seconds since the epoch. Replaces an earlier timer with this key. */
  set(key: string, time: number, work: () => void): void {
    if (this.#signal.aborted) return;
    this.#timers.get(key)?.();
    const cancel = timerAt(this.#runtime, time, () => {
      this.#timers.delete(key);
      work();
    });
    this.#timers.set(key, cancel);
  }
}
