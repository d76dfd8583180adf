import type { Runtime } from '@thole/core';

/** Waits for something at a key, for so long: what happens in this process wakes at once, for the rest one looks again. */
export class LocalWakes {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Whether anybody waits. */
  get hasAny(): boolean {
    return this.#waiting.size > 0;
  }

  /** Wakes all who wait at this key. */
  wake(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    for (const wake of waiting) wake();
  }

  /** Resolves when it is woken, after `ms`, and when the signal is aborted; never rejects. */
  wait(key: string, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const over = new AbortController();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        over.abort();
        resolve();
      };
      waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
      this.#runtime.sleep(ms, over.signal).then(wake, () => {});
    });
  }
}
