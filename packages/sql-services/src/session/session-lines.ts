import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { inTime } from '../database/in-time.ts';

/**
 * The appends of this process, one at a time for each session: the database would line them up anyway, by a lock for which each
 * holds a connection.
 */
export class SessionLines {
  readonly #last = new Map<string, Promise<void>>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Does the work when those before it are done. `STORE_UNAVAILABLE` where the deadline comes before that: nothing was sent. */
  inTurn<T>(id: string, deadline: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const waiting = before && inTime(this.#runtime, deadline, before, tooLate);
    const turn = waiting ? waiting.then(work) : work();
    // Who gave up waiting still stands between those before and those after it.
    const over: Promise<void> = (before ? Promise.allSettled([before, turn]) : turn).then(noop, noop).then(() => {
      if (this.#last.get(id) === over) this.#last.delete(id);
    });
    this.#last.set(id, over);
    return turn;
  }
}

function tooLate(): TholeError {
  return new TholeError(
    'STORE_UNAVAILABLE',
    'Others that append to the same session did not end within the time limit.',
  );
}

function noop(): void {}
