import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';

/**
 * The appends of this process, one at a time for each session: the database would line them up anyway, by a lock for which each
 * holds a connection.
 */
export class SessionLines {
  readonly #last = new Map<string, Promise<void>>();
  readonly #runtime: Runtime;
  readonly #limitMs: number;

  constructor(runtime: Runtime, limitMs: number) {
    this.#runtime = runtime;
    this.#limitMs = limitMs;
  }

  /** Does the work when those before it are done. `STORE_UNAVAILABLE` where that takes longer than a call may: nothing was sent. */
  inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const waiting = before && this.#waitFor(before);
    const turn = waiting ? waiting.then(work) : work();
    // Who gave up waiting still stands between those before and those after it.
    const over: Promise<void> = (before ? Promise.allSettled([before, turn]) : turn).then(noop, noop).then(() => {
      if (this.#last.get(id) === over) this.#last.delete(id);
    });
    this.#last.set(id, over);
    return turn;
  }

  async #waitFor(before: Promise<void>): Promise<void> {
    const done = new AbortController();
    const late = this.#runtime.sleep(this.#limitMs, done.signal).then(() => {
      throw new TholeError(
        'STORE_UNAVAILABLE',
        `Others that append to the same session did not end within ${this.#limitMs} ms.`,
      );
    });
    try {
      await Promise.race([before, late]);
    } finally {
      late.catch(noop);
      done.abort();
    }
  }
}

function noop(): void {}
