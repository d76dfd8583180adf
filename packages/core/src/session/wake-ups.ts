import type { Runtime } from '../runtime/runtime.ts';

/** Pauses by key that other code of this process can end early. */
export class WakeUps {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** True if any key has a listener. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns a listener that receives every `wake` of this key from now on, until it is closed. */
  listen(key: string): Listener {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    const listener = new Listener(this.#runtime, () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    });
    listeners.add(listener);
    return listener;
  }

  /** Wakes all listeners of this key, except the given one. */
  wake(key: string, except?: Listener): void {
    for (const listener of this.#listeners.get(key) ?? []) if (listener !== except) listener.wake();
  }
}

/** The pauses of one waiting task. */
export class Listener {
  readonly close: () => void;
  readonly #runtime: Runtime;
  #isWoken = false;
  #resume: (() => void) | undefined;

  constructor(runtime: Runtime, close: () => void) {
    this.#runtime = runtime;
    this.close = close;
  }

  wake(): void {
    if (this.#resume) this.#resume();
    else this.#isWoken = true;
  }

  /**
   * Resolves after `ms` milliseconds, at a `wake`, or when the signal is aborted. Resolves at once if `wake` was called since
   * the last pause. Never rejects.
   */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    if (isWoken || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeping = new AbortController();
      const resume = (): void => {
        this.#resume = undefined;
        signal?.removeEventListener('abort', resume);
        sleeping.abort();
        resolve();
      };
      this.#resume = resume;
      signal?.addEventListener('abort', resume, { once: true });
      if (ms !== Infinity) this.#runtime.sleep(ms, sleeping.signal).then(resume, noop);
    });
  }
}

function noop(): void {}
